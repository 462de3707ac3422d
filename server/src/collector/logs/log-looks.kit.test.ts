// Logs of real servers, read by a collector: every line is counted once, whatever is rotated, truncated, killed or away meanwhile.
import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { houseOnCluster, newHouse, pollMoved } from '../../testing/collecting-tests.ts';
import {
  counted,
  gaps,
  loggingServer,
  MON,
  mergeSettled,
  numbersFound,
  numbersTo,
  READING,
  raise,
  started,
} from '../../testing/logs/logging-server.ts';
import { deadlock } from '../../testing/servers/deadlock.ts';
import { isProof, majorsInFull } from '../../testing/tier.ts';

/** One format everyday, all of them in the proof. */
function formatsOf(major: number): readonly string[] {
  if (!isProof()) return ['stderr'];
  return major === 14 ? ['stderr', 'csvlog'] : ['stderr', 'csvlog', 'jsonlog'];
}

describe.each(majorsInFull())('the log of PostgreSQL %i', (major) => {
  it.each(formatsOf(major))(
    'as %s is counted by SQLSTATE, and what matters is kept with masked texts',
    async (format) => {
      const server = await loggingServer({ log_destination: format }, major);
      const house = await newHouse();
      const id = await house.connect(server, MON);
      house.start(READING);
      await started(house, id);
      await raise(server, 1, 300);
      await deadlock(server);
      const secret = 'hunter2-in-the-log';
      await server.query(`create role app login; alter role app password '${secret}'`);
      await server.query('select 1 / 0 as "line\nend"').catch(() => undefined);
      const denied = new pg.Client({ connectionString: server.url.replace('postgres:', 'mon:') });
      await denied.end().catch(() => undefined);
      await pollMoved(house, () => counted(house, id, 'LE001')).toBe(300);
      await pollMoved(house, () => counted(house, id, '40P01')).toBe(1);
      await pollMoved(house, () => counted(house, id, '22012')).toBe(1);
      const [row] = await house.db.rows<Record<string, string>>(sql`
      select e.class, e.severity, e.sqlstate, e.database_name, e.message, e.detail, e.statement
      from matriarch.log_events e where e.connection_id = ${id} and e.class = 'deadlock'`);
      expect(row).toMatchObject({
        class: 'deadlock',
        severity: 'ERROR',
        sqlstate: '40P01',
        database_name: 'postgres',
        message: 'deadlock detected',
        detail: expect.stringMatching(
          /^Process \d+ waits for ShareLock on transaction \d+; blocked by process \d+\./,
        ),
        statement: expect.stringContaining('select from locked where id = $1 for update'),
      });
      const all = await house.db.rows(
        sql`select * from matriarch.log_events e where e.connection_id = ${id}`,
      );
      expect(JSON.stringify(all)).not.toContain(secret);
      expect(await gaps(house, id)).toEqual([]);
    },
    120_000,
  );
});

describe('files of a log', () => {
  it('that are rotated, truncated, replaced or removed before they were read are counted or a gap with its bytes', async () => {
    const server = await loggingServer({ log_filename: 'pg-%H%M%S.log' });
    const folder = path.join(server.directory, 'log');
    const house = await newHouse();
    const id = await house.connect(server, MON);
    const collector = house.start(READING);
    await started(house, id);
    await raise(server, 1, 50);
    await pollMoved(house, () => counted(house, id, 'LE001')).toBe(50);
    await collector.stop();
    // Rotated while nobody reads: nothing is lost.
    await raise(server, 51, 80);
    const [before] = await server.query('select pg_sleep(1.1), pg_current_logfile() as file');
    await server.query('select pg_rotate_logfile()');
    await expect
      .poll(async () => (await server.query('select pg_current_logfile() as file'))[0]?.file)
      .not.toBe(before?.file);
    await raise(server, 81, 100);
    const second = house.start(READING);
    await pollMoved(house, () => counted(house, id, 'LE001')).toBe(100);
    // A file of another name, as of another rotation, that is read, grows, and goes.
    const line = (n: number) => `2026-11-27 10:00:00.000 UTC [${n}] WARNING:  LE002: line ${n}\n`;
    const file = path.join(folder, 'other.log');
    writeFileSync(file, line(1) + line(2));
    await pollMoved(house, () => counted(house, id, 'LE002')).toBe(2);
    await second.stop();
    appendFileSync(file, line(3));
    const third = house.start(READING);
    await pollMoved(house, () => counted(house, id, 'LE002')).toBe(3);
    // Truncated, and written anew to more than it had.
    truncateSync(file, 0);
    writeFileSync(file, [11, 12, 13, 14, 15, 16].map(line).join(''));
    await pollMoved(house, () => counted(house, id, 'LE002')).toBe(9);
    expect(await gaps(house, id)).toEqual([]);
    await third.stop();
    rmSync(file);
    house.start(READING);
    await pollMoved(house, async () => {
      const rows = await house.db.rows(
        sql`select from matriarch.log_files f where f.file_name = 'other.log'`,
      );
      return rows.length;
    }).toBe(0);
    expect(await gaps(house, id)).toEqual([]);
    expect(await counted(house, id, 'LE001')).toBe(100);
    expect(await numbersFound(house, id)).toEqual(numbersTo(100));
  }, 180_000);
});

describe.runIf(isProof())('a datastore', () => {
  it('that is killed again and again while lines come has each of them once', async () => {
    const server = await loggingServer();
    const { datastore, house } = await houseOnCluster();
    // Servers of tests answer a commit before it is written: what was committed just before the kill would be gone.
    await datastore.query('alter system set synchronous_commit = on');
    await datastore.query('select pg_reload_conf()');
    const id = await house.connect(server, MON);
    house.start(READING);
    await started(house, id);
    for (let round = 0; round < 4; round += 1) {
      await raise(server, round * 2100 + 1, round * 2100 + 2000);
      house.clock.advance(6000);
      await datastore.kill();
      await raise(server, round * 2100 + 2001, (round + 1) * 2100);
      await datastore.start();
    }
    const total = 4 * 2100;
    await pollMoved(house, () => counted(house, id, 'LE001').catch(() => -1)).toBe(total);
    house.clock.advance(60_000);
    await raise(server, total + 1, total + 1);
    await pollMoved(house, () => counted(house, id, 'LE001')).toBe(total + 1);
    expect(await numbersFound(house, id)).toEqual(numbersTo(total + 1));
    await mergeSettled(house.db);
    expect(await numbersFound(house, id)).toEqual(numbersTo(total + 1));
    expect(await gaps(house, id)).toEqual([]);
  }, 180_000);
});
