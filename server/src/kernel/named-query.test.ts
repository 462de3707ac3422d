// Statements that are prepared under a name, over the sessions of a pool.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import type { Database } from './db.ts';
import { prepared, type Sql, sql } from './sql.ts';

let test: TestDatabase;
let db: Database;
beforeAll(async () => {
  test = await testDatabase();
  db = test.db;
});
afterAll(() => test.close());

const values = (n: number): Sql => sql`/* test.values */
  select ${n}::int as n, ${'a "b" ü'}::text as text, null::text as none, true as yes, 9007199254740993::int8 as large,
    12::int8 as small, timestamptz '2026-01-02 03:04:05.678+00' as at, ${['x', 'y']}::text[] as list,
    ${JSON.stringify({ a: [1] })}::jsonb as json
  from generate_series(1, ${n}::int)`;

/** Messages of a kind that come in the only idle session while `work` runs. */
async function heard(kind: string, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const note = () => {
    count += 1;
  };
  const { connection } = await db.withClient(
    async (client) => client as pg.PoolClient & { connection: NodeJS.EventEmitter },
  );
  connection.on(kind, note);
  await work();
  connection.off(kind, note);
  return count;
}

describe('a prepared statement', () => {
  it('answers what it would without a name', async () => {
    for (const n of [0, 1, 3, 2])
      expect(await db.rows(prepared(values(n)))).toStrictEqual(await db.rows(values(n)));
  });

  it('is described once a session', async () => {
    const statement = prepared(sql`/* test.described */ select ${1}::int as n`);
    const ask = async () => {
      for (let n = 0; n < 4; n += 1) expect(await db.rows(statement)).toEqual([{ n: 1 }]);
    };
    expect(await heard('rowDescription', ask)).toBe(1);
    expect(await heard('parseComplete', ask)).toBe(0);
  });

  it('counts the rows that it touches', async () => {
    await db.run(sql`/* test.counted */ create table public.counted (n int)`);
    const insert = prepared(sql`/* test.insert */ insert into public.counted select generate_series(1, 5)`);
    const update = prepared(sql`/* test.update */ update public.counted set n = n + 1 where n > ${3}::int`);
    expect([await db.run(insert), await db.run(update), await db.run(insert)]).toEqual([5, 2, 5]);
  });

  it('fails as any other, and the session goes on', async () => {
    const divide = (by: number) => prepared(sql`/* test.divide */ select 1 / ${by}::int as n`);
    expect(await db.one(divide(1))).toEqual({ n: 1 });
    const failure = await db.rows(divide(0)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: '22012', message: 'division by zero' });
    expect(String(failure instanceof Error && failure.stack)).toContain('db.ts');
    expect(await db.one(divide(1))).toEqual({ n: 1 });
    const wrong = prepared(sql`/* test.wrong */ select nothing`);
    for (let n = 0; n < 2; n += 1) await expect(db.rows(wrong)).rejects.toMatchObject({ code: '42703' });
    await expect(
      db.transaction(async (inner) => {
        await inner.rows(divide(0));
      }),
    ).rejects.toMatchObject({ code: '22012' });
    expect(await db.one(divide(1))).toEqual({ n: 1 });
  });

  it('is refused once its columns would be others, rather than read as what they were', async () => {
    await db.run(sql`/* test.columns */ create table public.columns as select 1 as n`);
    const statement = prepared(sql`/* test.column */ select * from public.columns`);
    expect(await db.rows(statement)).toEqual([{ n: 1 }]);
    await db.run(sql`/* test.alter */ alter table public.columns alter n type text using 'one', add m int`);
    await expect(db.rows(statement)).rejects.toMatchObject({ code: '0A000' });
  });

  it('leaves nothing of its answers in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect: (options?: object) => void = runInNewContext('gc');
    const statement = prepared(
      sql`/* test.much */ select n, repeat(chr(64 + n), 100) as text from generate_series(1, 40) n`,
    );
    const ask = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        await db.rows(statement);
        if (n % 50 === 0) collect({ type: 'minor' });
      }
      for (let n = 0; n < 2; n += 1) collect({ type: 'minor' });
    };
    await ask(300);
    collect();
    const before = getHeapStatistics().used_heap_size;
    await ask(1000);
    // 8 MB came; of the driver's own queries more than half of it would still be there.
    expect(getHeapStatistics().used_heap_size - before).toBeLessThan(1_500_000);
  });
});
