// The contract of every probe of the server's machine: whoever tells, its rows have exactly the declared columns, are
// stored and read back; and where nobody tells, it is skipped with the reason. The others: probe.kit.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifier, join, sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import type { HostMemory } from '../probes/hosts/between-ticks.ts';
import { collectHost, type HostReading } from '../probes/hosts/collect.ts';
import { FAMILIES } from '../probes/hosts/families.ts';
import type { HostFamily, HostSource } from '../probes/hosts/types.ts';
import { type HostProbe, isHostProbe, keyColumns } from '../probes/types.ts';
import type { Outcome, Row } from '../store/layout/types.ts';
import { type HostSession, hostSession } from '../testing/servers/host-input.ts';
import { sharedServer } from '../testing/servers/postgres.ts';
import { snapshotsOf } from '../testing/store/reads.ts';
import { type Storing, storing } from '../testing/store/storing.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { ran } from './outcomes.ts';

const hostProbes: readonly HostProbe[] = probes.filter(isHostProbe);
const families = hostProbes.map(({ host }) => host);

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

function rowsOf(found: HostReading, { host, name }: HostProbe): readonly Row[] {
  const outcome = found.families.get(host);
  if (outcome?.kind !== 'ran') throw new Error(`${name}: ${outcome?.reason ?? 'was not gathered'}`);
  return outcome.rows;
}

/** From the table of samples, in the order of the run. */
function sampledRows(probe: HostProbe, id: number): Promise<Row[]> {
  const columns = probe.columns.map(({ name, type }) =>
    type === 'timestamp with time zone'
      ? sql`extract(epoch from ${identifier(name)})::float8 as ${identifier(name)}`
      : identifier(name),
  );
  return store.db.rows<Row>(sql`
    select ${join(columns, sql`, `)}
    from metrics.${identifier(probe.name)}
    where connection_id = ${id}
    order by row_no`);
}

/** Moments as seconds, so that they compare however they are written. */
const asSampled = (probe: HostProbe, row: Row): Row =>
  Object.fromEntries(
    probe.columns.map(({ name, type }) => {
      const value = row[name];
      const isTime = type === 'timestamp with time zone' && typeof value === 'string';
      return [name, isTime ? Date.parse(value) / 1000 : value];
    }),
  );

it('has a probe for every family, and no two for one', () => {
  expect([...families].sort()).toEqual(Object.keys(FAMILIES).sort());
});

/** What every Linux machine that runs PostgreSQL has something of; pressure and devices it may lack. */
const ALWAYS: readonly HostFamily[] = [
  'os_info',
  'cpu_info',
  'cpu_usage',
  'memory',
  'load',
  'network',
  'processes',
  'disk',
];

describe.runIf(process.platform === 'linux').each(majorsOfKits())('beside PostgreSQL %i', (major) => {
  let session: HostSession;
  let found: HostReading;
  let id: number;
  const outcomes = new Map<string, Outcome>();
  beforeAll(async () => {
    session = await hostSession(await sharedServer(major));
    id = await store.leased();
    const memory: HostMemory = {};
    await collectHost(session.input, { families, memory });
    found = await collectHost(session.input, { families, memory });
    const attempted_at = session.input.clock.now();
    const writer = store.writer({ probes: hostProbes });
    for (const probe of hostProbes) {
      const known = found.families.get(probe.host);
      if (known?.kind !== 'ran') continue;
      const outcome = await ran(probe, known.rows, { collected_at: attempted_at });
      outcomes.set(probe.name, outcome);
      const run = { connection_id: id, epoch: 1, probe: probe.name, database_name: '' };
      writer.add({ ...run, attempted_at, took_ms: 1, outcome });
    }
    await writer.flush();
    await writer.stop();
    expect(writer.stats.waiting_runs).toBe(0);
  });
  afterAll(() => session.client.close());

  it.each(hostProbes)('$name is told in the declared columns, stored and read back', async (probe) => {
    const known = found.families.get(probe.host);
    if (known?.kind !== 'ran') {
      expect(ALWAYS).not.toContain(probe.host);
      expect(known?.reason).toMatch(/^No source knows this/);
      return;
    }
    const rows = rowsOf(found, probe);
    if (ALWAYS.includes(probe.host)) expect(rows.length).toBeGreaterThan(0);
    const names = probe.columns.map(({ name }) => name).sort();
    for (const row of rows) expect(Object.keys(row).sort()).toEqual(names);
    const keys = keyColumns(probe);
    const named = new Set(rows.map((row) => JSON.stringify(keys.map((key) => row[key]))));
    expect(named.size).toBe(keys.length === 0 ? Math.min(1, rows.length) : rows.length);
    expect(outcomes.get(probe.name)).toMatchObject({ kind: 'ran', rows });

    const snapshot = (await snapshotsOf(store.db, id)).find((one) => one.probe === probe.name);
    expect(snapshot).toMatchObject({ outcome: 'ran', row_count: rows.length });
    const sampled = await sampledRows(probe, id);
    expect(sampled).toEqual(rows.map((row) => asSampled(probe, row)));
  });
});

describe('where nobody knows', () => {
  const silent: HostSource = {
    name: 'silent',
    order: 1,
    gather: async () => ({ status: 'unavailable', reason: 'It is far away.', mend: 'go there' }),
  };
  it.each(hostProbes)('$name is skipped with the reason', async ({ host }) => {
    await using session = await hostSession(await sharedServer(18));
    const { families: found } = await collectHost(session.input, { families: [host], sources: [silent] });
    expect(found.get(host)).toEqual({
      kind: 'skipped',
      reason: 'No source knows this of the machine of the server. silent: It is far away.',
      mend: 'go there',
    });
  });
});
