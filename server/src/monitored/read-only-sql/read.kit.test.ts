// Statements that only read, on real servers: what comes back, where it is cut, and what is refused with which words.
import { afterAll, describe, expect, it } from 'vitest';
import { StatementParser } from '../../kernel/parser/parser.ts';
import { Secret } from '../../kernel/secret.ts';
import { ask, tcp } from '../../testing/servers/ask.ts';
import { probedDatabase } from '../../testing/servers/database-probes.ts';
import { type Forward, startForward } from '../../testing/servers/forward.ts';
import { type Major, sharedServer } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { connectTarget } from '../connect.ts';
import { NAMES } from './names.queries.ts';
import { explainStatement, prepareOnly, type ReadWishes, readRows } from './read.ts';
import { BEGIN } from './session.queries.ts';
import type { SessionOptions } from './transaction.ts';
import { StatementRefused } from './types.ts';

const parser = new StatementParser();
afterAll(() => parser.stop());

async function session<T>(
  major: Major,
  work: (options: SessionOptions) => Promise<T>,
  { timeout_ms = 10_000, proxy }: { timeout_ms?: number; proxy?: Forward } = {},
): Promise<T> {
  const { host, port, superuser, password } = await sharedServer(major);
  const client = await connectTarget({
    ...(proxy ?? { host, port }),
    database: 'postgres',
    username: superuser,
    password: new Secret(password),
    ssl_mode: 'disable',
    application_name: 'matriarch sql',
    connect_timeout_ms: 5000,
    statement_timeout_ms: timeout_ms,
    allow_private_networks: true,
    max_socket_bytes: 8 * 1024 * 1024,
  });
  try {
    return await work({ client, parser, timeout_ms, allow_superuser: true });
  } finally {
    await client.close();
  }
}

const rows = (text: string, more: Partial<ReadWishes> = {}, major: Major = 18) =>
  session(major, (options) => readRows(options, { text, limit: 100, offset: 0, ...more }));

async function refusal(work: Promise<unknown>): Promise<[string, string]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StatementRefused) return [error.why, error.message];
    throw error;
  }
  return expect.fail('it was run');
}

describe.each(majorsOfKits())('on PostgreSQL %s', (major) => {
  it('ends on the server when whoever asked leaves, also behind a proxy', async () => {
    const server = await sharedServer(major);
    const proxy = await startForward(server);
    const left = async ({ client, ...options }: SessionOptions) => {
      expect(client.way).not.toBe('direct');
      const text = 'select count(*) from generate_series(1, 1e6) a, generate_series(1, 1e6) b';
      const reading = readRows({ client, ...options }, { text, limit: 1, offset: 0 });
      reading.catch(() => undefined);
      const ofIt = `select count(*)::int from pg_stat_activity where pid = ${client.backend_pid} and query like '%sql.fetch%' and state = 'active'`;
      await expect.poll(() => ask(tcp(server), ofIt), { timeout: 30_000 }).toBe(1);
      client.destroy();
      await expect.poll(() => ask(tcp(server), ofIt), { timeout: 30_000 }).toBe(0);
    };
    await session(major, left, { timeout_ms: 120_000, proxy });
    await proxy.stop();
  });

  it('answers rows, plans and settings as the server writes them', async () => {
    const text = `select 1 as a, null as a, now() > '2020-01-01' as b, numeric '1.50' as c, array[1, 2] as d, '2026-01-02'::date as e,
      lower('Ä'), count(*) over (), $1::text from generate_series(1, 2) as g(i) where g.i between 1 and 5 order by 1;`;
    const table = await rows(text, { params: ['x'] }, major);
    expect(table.columns).toEqual(
      [
        ['a', 'integer'],
        ['a', 'text'],
        ['b', 'boolean'],
        ['c', 'numeric'],
        ['d', 'integer[]'],
        ['e', 'date'],
        ['lower', 'text'],
        ['count', 'bigint'],
        ['text', 'text'],
      ].map(([name, type]) => ({ name, type })),
    );
    expect(table.rows).toEqual(Array(2).fill(['1', null, 't', '1.50', '{1,2}', '2026-01-02', 'ä', '2', 'x']));
    expect(table.cut_by).toBeNull();
    expect((await rows('show server_version', {}, major)).rows[0]?.[0]).toMatch(new RegExp(`^${major}`));
    expect((await rows('explain (costs off) select 1', {}, major)).rows).toEqual([['Result']]);
    expect(
      (await rows('select datname, usename from pg_stat_activity', {}, major)).rows.length,
    ).toBeGreaterThan(0);
    expect(
      (await rows('select count(*) from pg_locks join pg_class on oid = relation', {}, major)).rows.length,
    ).toBe(1);
    expect((await rows('select * from information_schema.tables limit 3', {}, major)).rows.length).toBe(3);
  });

  it('plans with and without values, and prepares what it never runs', async () => {
    const wishes = { analyze: false, buffers: false, format: 'json' } as const;
    const plan = await session(major, (options) =>
      explainStatement(options, 'select * from pg_class where oid = $1', wishes),
    );
    expect(plan.rows[0]?.[0]).toContain('pg_class_oid_index');
    const run = await session(major, (options) =>
      explainStatement(options, 'select 1', { analyze: true, buffers: true, format: 'text' }),
    );
    expect(run.rows.flat().join('\n')).toContain('actual time');
    const prepared = await session(major, (options) =>
      prepareOnly(options, 'delete from pg_class where oid = $1'),
    );
    expect(prepared.parameter_types).toEqual(['oid']);
    const [why, message] = await refusal(
      session(major, (options) => prepareOnly(options, 'select nobody from pg_class')),
    );
    expect([why, message]).toEqual(['server', 'column "nobody" does not exist']);
  });
});

describe('what is cut', () => {
  it('is told by rows, and skipped rows are skipped', async () => {
    const text = 'select i from generate_series(1, 100000) i';
    const cut = await rows(text, { limit: 5, offset: 10 });
    expect([cut.rows.flat(), cut.truncated, cut.cut_by]).toEqual([
      ['11', '12', '13', '14', '15'],
      true,
      'rows',
    ]);
    const all = await rows('select i from generate_series(1, 5) i', { limit: 5 });
    expect([all.rows.length, all.truncated]).toEqual([5, false]);
    expect((await rows(text, { limit: 1000 })).rows.length).toBe(1000);
    expect((await rows(text, { limit: 0 })).columns).toEqual([{ name: 'i', type: 'integer' }]);
  });

  it('is told by bytes: the rows that had come are kept', async () => {
    const cut = await rows(`select i, repeat('x', 300000) from generate_series(1, 1000) i`);
    expect([cut.truncated, cut.cut_by]).toEqual([true, 'bytes']);
    expect(cut.rows.length).toBeGreaterThan(20);
    expect(cut.bytes).toBeLessThan(8.5 * 1024 * 1024);
    const one = await refusal(rows(`select repeat('x', 20000000)`));
    expect(one).toEqual(['server', 'Its first row is larger than an answer may be (8 MB).']);
  });

  it('ends in time, all fetches together', async () => {
    const slow = session(
      18,
      (options) =>
        readRows(options, {
          text: 'select count(*) from generate_series(1, 1000000000) i',
          limit: 1,
          offset: 0,
        }),
      { timeout_ms: 500 },
    );
    expect((await refusal(slow))[0]).toBe('time');
  });
});

describe('what is refused', () => {
  it('says that analyze runs what it explains', async () => {
    const [, message] = await refusal(rows('explain analyze delete from pg_class'));
    expect(message).toMatch(/^With analyze it is run/);
  });

  it('is everything where a pooler gave the beginning of the transaction to another session', async () => {
    const answer = session(18, ({ client, ...options }) => {
      const elsewhere = new Proxy(client, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) =>
            name === 'query' && args[0] === BEGIN ? Promise.resolve([]) : value.apply(target, args);
        },
      });
      return readRows({ ...options, client: elsewhere }, { text: 'select 1', limit: 1, offset: 0 });
    });
    expect(await refusal(answer)).toEqual(['server', 'The server did not begin a read-only transaction.']);
  });

  it('is everything in another process of the server than was asked for', async () => {
    const answer = (more: number) =>
      session(18, (options) => {
        const backend_pid = options.client.backend_pid + more;
        return readRows({ ...options, backend_pid }, { text: 'select 1', limit: 1, offset: 0 });
      });
    expect((await answer(0)).rows).toEqual([['1']]);
    expect(await refusal(answer(1))).toEqual(['server', expect.stringMatching(/^There is a pooler/)]);
  });

  it.each([
    ['', 'syntax'],
    ['selec 1', 'syntax'],
    ['select 1; select 2', 'not_one'],
    ['insert into t values (1)', 'not_allowed'],
    ['with w as (delete from pg_class returning 1) select * from w', 'not_allowed'],
    ['select * into x from pg_class', 'not_allowed'],
    ['select * from pg_class for update', 'not_allowed'],
    ['copy pg_class to stdout', 'not_allowed'],
    ['explain analyze delete from pg_class', 'not_allowed'],
    ['set role postgres', 'not_allowed'],
    ['begin', 'not_allowed'],
    [`select set_config('work_mem', '1', false)`, 'not_allowed'],
    [`select pg_catalog."set_config"('work_mem', '1', false)`, 'not_allowed'],
    ['select pg_terminate_backend(pid) from pg_stat_activity', 'not_allowed'],
    ['select no_such(1)', 'not_proven'],
    ['select * from pg_authid', 'not_allowed'],
    ['select nobody from pg_class', 'server'],
    ['select 1/0', 'server'],
  ])('%s', async (text, why) => {
    expect((await refusal(rows(text)))[0]).toBe(why);
  });
});

const ASKED = [
  ...[[null], ['asked'], [], [], [null, null], ['=', '<'], [], [], ['id'], false, ['id'], [], ['id']],
];

/** Rows of catalogs that the server goes through to say what stands behind a table of so many. */
async function rowsAmong(tables: number): Promise<number> {
  const database = await probedDatabase(await sharedServer(18), [
    `do $$ begin for i in 1..${tables} loop
      execute format('create table many_%s (id integer, kind text, check (kind <> ''''))', i);
    end loop; end $$`,
    'create domain positive as integer check (value > 0)',
    'create table asked (id positive, many many_1, list many_2[], check (id < 100000))',
    'vacuum analyze',
  ]);
  const [row] = await database.query(`explain (analyze, format json) ${NAMES}`, ASKED);
  await database.close();
  const rowsOf = (node: unknown): number => {
    const { Plans = [], ...of } = Object(node);
    const rows = of['Relation Name'] ? of['Actual Rows'] + (of['Rows Removed by Filter'] ?? 0) : 0;
    return Plans.reduce((sum: number, one: unknown) => sum + rowsOf(one), rows * of['Actual Loops']);
  };
  return rowsOf(Object(row?.['QUERY PLAN'])[0].Plan);
}

it('what stands behind a table is found with a few looks at each table of the database, however many there are', async () => {
  const [few, many] = [await rowsAmong(10), await rowsAmong(510)];
  expect(few).toBeGreaterThan(1000);
  // It was 7,000 for each of 500 tables, and twice as many for each of 1,000.
  expect((many - few) / 500).toBeLessThan(200);
});

it('memory for types is wanted by what there may be, and not by the product of all guesses, where there are many views', async () => {
  const database = await probedDatabase(await sharedServer(18), [
    `do $$ begin for i in 1..300 loop execute format('create view seen_%s as select * from pg_class', i); end loop; end $$`,
    'create table asked (id integer)',
    'analyze',
  ]);
  const [row] = await database.query(`explain (format json) ${NAMES}`, ASKED);
  await database.close();
  const guesses = (node: unknown): number[] => {
    const { Plans = [], ...of } = Object(node);
    const own = of['Node Type'] === 'Recursive Union' ? [Number(of['Plan Rows'])] : [];
    return [...own, ...Plans.flatMap(guesses)];
  };
  const all = guesses(Object(row?.['QUERY PLAN'])[0].Plan);
  expect(all.length).toBeGreaterThan(2);
  // It was 43,868,309,556.
  expect(Math.max(...all)).toBeLessThan(1_000_000);
});
