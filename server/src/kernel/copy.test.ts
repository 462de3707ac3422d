import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import { type Copy, copyAll } from './copy.ts';
import { sql } from './sql.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
  await test.db.run(sql`/* test.one */ create table one (n int primary key, word text)`);
  await test.db.run(sql`/* test.two */ create table two (n int primary key)`);
});
afterAll(() => test.close());
beforeEach(() => test.db.run(sql`/* test.empty */ truncate one, two`));

const COMMIT = sql`commit`;
const ones = (...lines: string[]): Copy => ({ statement: sql`copy one from stdin`, lines });
const twos = (...lines: string[]): Copy => ({ statement: sql`copy two from stdin`, lines });
const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}\t${'x'.repeat(90)}`);

const counted = async () =>
  test.db.one<{ one: number; two: number }>(
    sql`/* test.counted */ select (select count(*)::int from one) as one, (select count(*)::int from two) as two`,
  );

describe('several COPYs at once', () => {
  it('are written and committed in one message', async () => {
    await test.db.withClient(async (client) => {
      await client.query('begin');
      await copyAll(client, [ones('1\ta', '2\t\\N'), twos('7')], COMMIT);
    });
    expect(await counted()).toEqual({ one: 2, two: 1 });
    expect(await test.db.rows(sql`/* test.rows */ select n, word from one order by n`)).toEqual([
      { n: 1, word: 'a' },
      { n: 2, word: null },
    ]);
  });

  it('run what comes last where there is nothing to copy, and nothing where nothing comes', async () => {
    await test.db.withClient(async (client) => {
      await copyAll(client, []);
      await client.query('begin');
      await copyAll(client, [], COMMIT);
      expect((await client.query(`select pg_current_xact_id_if_assigned() as xid`)).rows).toEqual([
        { xid: null },
      ]);
    });
    expect(await counted()).toEqual({ one: 0, two: 0 });
  });

  it.each([
    ['few lines', 1, 3],
    ['more than goes out together', 3000, 2],
    ['one that is streamed', 20_000, 1],
    ['some of a size at the edge', 2900, 4],
  ])('keep every line: %s', async (_name, lines, times) => {
    await test.db.withClient(async (client) => {
      await client.query('begin');
      const parts = Array.from({ length: times }, (_, part) =>
        ones(
          ...numbers(lines).map(
            (line) => `${part * 100_000 + Number.parseInt(line, 10)}\t${line.split('\t')[1]}`,
          ),
        ),
      );
      await copyAll(client, [twos('1'), ...parts, twos('2')], COMMIT);
    });
    expect(await counted()).toEqual({ one: lines * times, two: 2 });
    const [row] = await test.db.rows<{ size: number }>(
      sql`/* test.size */ select sum(length(word))::int as size from one`,
    );
    expect(row?.size).toBe(lines * times * 90);
  });

  it.each([
    ['a line that does not fit', [ones('1\ta'), twos('word'), ones('2\tb')], '22P02'],
    [
      'a table that is not there',
      [ones('1\ta'), { statement: sql`copy three from stdin`, lines: ['1'] }, ones('2\tb')],
      '42P01',
    ],
    ['the same key twice', [ones('1\ta', '1\tb'), twos('1')], '23505'],
  ])('reject with the first error and commit nothing: %s', async (_name, copies, code) => {
    await test.db.withClient(async (client) => {
      await client.query('begin');
      await expect(copyAll(client, copies, COMMIT)).rejects.toMatchObject({ code });
      await client.query('rollback');
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    });
    expect(await counted()).toEqual({ one: 0, two: 0 });
  });

  it('reject when the session ends in the middle', async () => {
    const lost = test.db.withClient(async (client) => {
      await client.query('begin');
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      // Waits for the lock of another session, and is ended there.
      await test.db.transaction(async (db) => {
        await db.run(sql`/* test.lock */ lock table one`);
        const copying = copyAll(client, [ones('1\ta')], COMMIT);
        // Looked at below; the session can be gone before the statement that ends it has been answered.
        copying.catch(() => undefined);
        const blocked = sql`/* test.blocked */ select 1 as yes from pg_locks where not granted and pid = ${rows[0]?.pid}`;
        await expect.poll(() => test.db.maybe(blocked), { timeout: 30_000 }).toBeDefined();
        await db.run(sql`/* test.end */ select pg_terminate_backend(${rows[0]?.pid})`);
        await copying;
      });
    });
    await expect(lost).rejects.toMatchObject({ code: '57P01' });
    expect(await counted()).toEqual({ one: 0, two: 0 });
  });
});
