// Reading of logs under trouble, on real servers: a killed collector, files that go before they were read, a role without its rights,
// other encodings and a very large file. Guards: each line is counted once or is part of a gap, and a look reads a bounded amount.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { newHouse, pollMoved, SOON } from '../../testing/collecting-tests.ts';
import {
  counted,
  gaps,
  loggingServer,
  MON,
  mergeSettled,
  numbersFound,
  numbersTo,
  positionOf,
  READING,
  raise,
  sourceOf,
  started,
} from '../../testing/logs/logging-server.ts';

const MB = 1024 * 1024;
/** Pieces of a look. */
const LOOK_BYTES = 8 * MB;

const line = (n: number, padding = '', time = '2026-11-27 10:00:00.000') =>
  `${time} UTC [${n}] WARNING:  LE002: line ${n}${padding}\n`;

/** Lines of a KiB each. */
const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_none, at) =>
    line(from + at)
      .padEnd(1023, 'x')
      .replace('\n', ' ')
      .concat('\n'),
  ).join('');

describe('a collector', () => {
  it('that is killed again and again has each line once, counted and found', async () => {
    const house = await newHouse();
    const server = await loggingServer();
    const id = await house.connect(server, MON);
    const script = fileURLToPath(new URL('../../testing/faults/collector-process.ts', import.meta.url));
    const start = async () => {
      const child = spawn(process.execPath, [script, house.url.reveal(), house.keyFile, 'logs'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => {
        child.kill('SIGKILL');
      });
      await once(child.stdout, 'data');
      return child;
    };
    let child = await start();
    const isStarted = async () => (await sourceOf(house, id)) !== undefined;
    await expect.poll(isStarted, SOON).toBe(true);
    for (let round = 0; round < 3; round += 1) {
      const before = await counted(house, id, 'LE001');
      await raise(server, round * 8100 + 1, round * 8100 + 8000);
      // In the middle of reading, or right after it.
      await expect.poll(() => counted(house, id, 'LE001'), { ...SOON, interval: 5 }).toBeGreaterThan(before);
      child.kill('SIGKILL');
      await raise(server, round * 8100 + 8001, (round + 1) * 8100);
      await house.db.run(sql`update matriarch.connection_leases set expires_at = now()`);
      child = await start();
    }
    await expect.poll(() => counted(house, id, 'LE001'), SOON).toBe(3 * 8100);
    // Whatever would come twice would come with the next look.
    await raise(server, 3 * 8100 + 1, 3 * 8100 + 1);
    await expect.poll(() => counted(house, id, 'LE001'), SOON).toBe(3 * 8100 + 1);
    expect(await numbersFound(house, id)).toEqual(numbersTo(3 * 8100 + 1));
    await mergeSettled(house.db);
    expect(await numbersFound(house, id)).toEqual(numbersTo(3 * 8100 + 1));
    expect(await gaps(house, id)).toEqual([]);
  }, 180_000);

  it.each(['removed', 'truncated', 'replaced'] as const)(
    'notices what was %s before it was read, and says how far it has read meanwhile',
    async (reason) => {
      const house = await newHouse();
      const server = await loggingServer();
      const id = await house.connect(server, MON);
      const first = house.start(READING);
      await started(house, id);
      await first.stop();
      const file = path.join(server.directory, 'log', 'large.log');
      writeFileSync(file, lines(1, 20 * 1024));
      const second = house.start(READING);
      const isBehind = async () => typeof (await sourceOf(house, id))?.read_until === 'string';
      await pollMoved(house, isBehind, 0.2).toBe(true);
      await second.stop();
      const position = await positionOf(house, id, 'large.log');
      expect(position).toBeLessThan(20 * MB);
      expect(await sourceOf(house, id)).toMatchObject({
        reason: expect.stringContaining('MB of the log are not read yet'),
        read_until: new Date('2026-11-27T10:00:00Z').toISOString(),
      });
      if (reason === 'removed') rmSync(file);
      if (reason === 'truncated') truncateSync(file, 0);
      if (reason === 'replaced') writeFileSync(file, lines(100_000, 21 * 1024));
      house.start(READING);
      const lost = { file_name: 'large.log', bytes: 20 * MB - position, reason };
      await pollMoved(house, () => gaps(house, id)).toEqual([lost]);
      const more = reason === 'replaced' ? 21 * 1024 : 0;
      await pollMoved(house, () => counted(house, id, 'LE002')).toBe(position / 1024 + more);
      await pollMoved(house, async () => (await sourceOf(house, id))?.read_until).toBe(null);
    },
    180_000,
  );

  it('reads a file with a large hole in bounded steps, and counts what is around it', async () => {
    const house = await newHouse();
    const server = await loggingServer();
    const id = await house.connect(server, MON);
    const collector = house.start(READING);
    await started(house, id);
    await collector.stop();
    const file = path.join(server.directory, 'log', 'hole.log');
    writeFileSync(file, line(1) + line(2));
    const handle = openSync(file, 'r+');
    ftruncateSync(handle, 60 * MB);
    closeSync(handle);
    appendFileSync(file, `\n${line(3)}${line(4)}`);
    const steps: number[] = [];
    let before = 0;
    house.start(READING);
    await pollMoved(house, async () => {
      const position = await positionOf(house, id, 'hole.log');
      if (position !== before) steps.push(position - before);
      before = position;
      return counted(house, id, 'LE002');
    }).toBe(4);
    expect(Math.max(...steps)).toBeLessThanOrEqual(LOOK_BYTES);
    const lost = await gaps(house, id);
    expect(lost.every(({ reason }) => reason === 'line_too_long')).toBe(true);
    expect(lost.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(58 * MB);
  }, 180_000);

  it('keeps lines of a clock that was an hour ahead, each once, with the time at which they were read, and says so', async () => {
    const house = await newHouse();
    const server = await loggingServer();
    const id = await house.connect(server, MON);
    house.start(READING);
    await started(house, id);
    const time = iso(house.clock.now() + HOUR_MS)
      .replace('T', ' ')
      .replace('Z', '');
    writeFileSync(path.join(server.directory, 'log', 'ahead.log'), line(1, '', time) + line(2));
    await raise(server, 1, 1);
    await pollMoved(house, () => counted(house, id, 'LE002'), 0.5).toBe(2);
    const said =
      /^Lines of the log have times that are still to come, up to 5\d min \d+ s ahead of the clock/;
    await pollMoved(house, async () => (await sourceOf(house, id))?.reason ?? '', 0.5).toMatch(said);
    await pollMoved(house, () => counted(house, id, 'LE001'), 0.5).toBe(1);
    const { ahead } = await house.db.one<{ ahead: number }>(sql`
      select count(*)::int as ahead from matriarch.log_counts c
      where c.connection_id = ${id} and c.minute > to_timestamp(${house.clock.now() / 1000}::float8)`);
    expect([ahead, await counted(house, id, 'LE002'), await gaps(house, id)]).toEqual([0, 2, []]);
  }, 120_000);

  it('without pg_monitor says so, with the command that fixes it', async () => {
    const house = await newHouse();
    const server = await loggingServer();
    await server.query('revoke pg_monitor from mon');
    const id = await house.connect(server, MON);
    const collector = house.start(READING);
    await pollMoved(house, async () => (await sourceOf(house, id))?.reason).toBe(
      'mon may not list log files: it lacks pg_monitor.',
    );
    await collector.stop();
    const mend = (await sourceOf(house, id))?.mend ?? expect.fail('no command');
    await server.query(mend);
    house.start(READING);
    await started(house, id);
    await raise(server, 1, 5);
    await pollMoved(house, () => counted(house, id, 'LE001')).toBe(5);
  }, 120_000);

  it.each([
    ['LATIN1', 'stderr'],
    ['EUC_JP', 'csvlog'],
    ['LATIN1', 'jsonlog'],
  ])(
    'reads lines of a database in %s from %s',
    async (encoding, log_destination) => {
      const house = await newHouse();
      const server = await loggingServer({ log_destination });
      await server.query(
        `create database other encoding '${encoding}' locale 'C' locale_provider libc template template0`,
      );
      const id = await house.connect(server, MON);
      house.start(READING);
      await started(house, id);
      const text = encoding === 'LATIN1' ? 'Größe é' : '日本語';
      const client = new pg.Client({ connectionString: new URL('/other', server.url).toString() });
      await client.connect();
      onTestFinished(() => client.end());
      await client.query(`do $$ begin raise warning '${text}' using errcode = 'LE003'; end $$`);
      await expect(client.query(`select 1 from "${text}"`)).rejects.toThrow();
      await pollMoved(house, () => counted(house, id, 'LE003')).toBe(1);
      await pollMoved(house, () => counted(house, id, '42P01')).toBe(1);
      const events = await house.db.rows<{ database_name: string }>(sql`
      select c.database_name from matriarch.log_counts c where c.connection_id = ${id} and c.sqlstate = '42P01'`);
      expect(events).toEqual([{ database_name: 'other' }]);
      expect(await gaps(house, id)).toEqual([]);
    },
    120_000,
  );
});
