// What collecting leaves in the log of a server whose role may do next to nothing, without the preloaded library that
// statements need, and with an extension, files and functions that our role may not use: nothing, round after round;
// in real seconds in the proof, and everyday on one version with a clock that is moved on.
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { collectHost, HOST_PROBE } from '../probes/hosts/collect.ts';
import { furtherSamples, movedSamples, newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { MAJORS, startCluster } from '../testing/servers/postgres.ts';
import { isProof } from '../testing/tier.ts';

const ROLE = 'nobody_much';
/** Every few seconds instead of every few minutes, so that what is skipped is tried again and again. */
const frequent = catalog.map(({ adaptive: _, ...probe }) => ({ ...probe, intervalSeconds: 2 }));

/** What PostgreSQL held against us, with the statement. */
function complaints(logFile: string): string[] {
  const lines = readFileSync(logFile, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (!/ (ERROR|FATAL|PANIC|WARNING): /.test(line) || !line.includes(ROLE)) return [];
    return [[line, ...lines.slice(index + 1, index + 6)].join('\n').slice(0, 700)];
  });
}

it.each(isProof() ? MAJORS : MAJORS.slice(-1))(
  'on PostgreSQL %i nothing of ours fails in its log',
  async (major) => {
    const house = await newHouse();
    const server = await startCluster({
      major,
      settings: { shared_preload_libraries: '', log_line_prefix: '%m [%p] %u %d ' },
    });
    onTestFinished(() => server.stop());
    await server.query(`create role ${ROLE} login password 'nobody'`);
    await server.query('create extension pg_stat_statements');
    await server.query('create database closed');
    await server.query('revoke connect on database closed from public');
    await server.query('create database open_one');
    for (const name of ['pg_control_system', 'pg_control_checkpoint'])
      await server.query(`revoke execute on function ${name}() from public`);
    const id = await house.connect(server, { username: ROLE, password: 'nobody' });
    house.start({
      probes: [...frequent, EVERY_SECOND],
      hosts: { probe: HOST_PROBE, interval_seconds: 2, collect: collectHost },
    });
    await (isProof() ? furtherSamples(house, id, 8) : movedSamples(house, id, 2));
    const tried = async () => new Set((await house.snapshots(id)).map(({ probe }) => probe)).size;
    await pollMoved(house, tried).toBeGreaterThanOrEqual(catalog.length);
    // They are told all the same, and read once that is mended and somebody asks.
    const told = async (probe: string, database = '') => (await house.snapshot(id, probe, database))?.outcome;
    expect(await told('pg_stat_statements', 'postgres')).toBe('skipped');
    expect(await told('pg_wal_directory')).toBe('skipped');
    expect(await told('pg_hba_file_rules')).toBe('skipped');
    await server.query(`grant pg_monitor to ${ROLE}`);
    await house.db.run(sql`update matriarch.connections set retest_requested_at = now() where id = ${id}`);
    await pollMoved(house, () => told('pg_wal_directory')).toBe('ran');
    expect(complaints(server.logFile)).toEqual([]);
  },
);
