// What advice on indexes leaves alone, on real servers: each table is read like the one that lacks an index, and there is a reason not to
// make one. Guards: the one that lacks it is found in the same reading, so that silence is told from not looking.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { change } from '../../testing/servers/check-scenes/scene.ts';
import { judgeReadings, probesOf, type Readings, readingsOf } from '../../testing/servers/judging.ts';
import { MAJORS, type TestCluster } from '../../testing/servers/postgres.ts';
import { sessionOn } from '../../testing/servers/probing.ts';
import { replicatingServer } from '../../testing/servers/server-sets.ts';
import { isProof } from '../../testing/tier.ts';
import { check } from '../checks/missing-index.ts';

const LATER = 2 * 3_600_000;
const CALLS = 110;

const FORMS = {
  lacking: [],
  of_unique: ['create unique index on of_unique (customer, id)'],
  in_other_order: ['create index on in_other_order (state, customer)'],
  of_prefix: ['create index on of_prefix (customer, note)'],
  partial: ['create index on partial (customer, state) where id < 0'],
  of_expression: ['create index on of_expression ((customer + 0), state)'],
} as const;
const TABLES = Object.keys(FORMS);

const make = (table: string, rows: number) => [
  `create table ${table} (id int, customer int, state int, note text)`,
  `insert into ${table} select g, g % 3000, g % 7, repeat('x', 500) from generate_series(1, ${rows}) g`,
];

async function repeat(client: pg.Client, text: string, times = CALLS): Promise<void> {
  for (let n = 0; n < times; n += 1) await client.query(text, [n]);
}

async function clientOn(server: TestCluster, database: string): Promise<pg.Client> {
  const url = new URL(server.url);
  url.pathname = database;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return client;
}

const find = (table: string) => `select id from ${table} where customer = $1 and state = 3`;

interface As {
  username: string;
  password: string;
}

async function read(server: TestCluster, as?: As, database = 'postgres'): Promise<Readings> {
  const session = await sessionOn(server, as, database);
  const readings = await readingsOf(session, probesOf(check));
  await session.client.close();
  return readings;
}

function judged(readings: Readings) {
  const [verdict] = judgeReadings([check], readings, { later: LATER });
  return {
    tables: verdict?.found.map(({ object_name }) => object_name.replace(/^public\.| .*$/g, '')) ?? [],
    unknown: verdict?.unknown ?? [],
  };
}

const SILENT = [...TABLES, 'small'];
const ODD = ['unsafe', 'long', 'called', 'typed', 'ordered', 'counted'];

async function makeSilent(server: TestCluster): Promise<void> {
  for (const [table, indexes] of Object.entries(FORMS))
    for (const one of [...make(table, 22_000), ...indexes]) await server.query(one);
  for (const one of [...make('small', 5000), ...make('seldom', 22_000)]) await server.query(one);
  await server.query('vacuum analyze');
}

/** In a database of its own: what takes a notable part of the time is a share of all that its database does. */
async function makeOdd(client: pg.Client): Promise<void> {
  for (const one of ODD.flatMap((table) => make(table, 22_000))) await client.query(one);
  for (const one of [
    'create extension pg_stat_statements',
    'create function public.sneak(called) returns int language sql stable as $$select 1$$',
    'create domain public.checked as int check (value > 0)',
    'alter table typed add column checked public.checked[]',
    'vacuum analyze',
    "create function public.power(int, int) returns int language plpgsql immutable as 'begin return 1; end'",
    'create operator public.### (leftarg = int, rightarg = int, function = public.power)',
    'create index on ordered ((state ### 2))',
    'create statistics own_counts on (public.power(state, 3)), id from counted',
  ])
    await client.query(one);
}

async function readOdd(client: pg.Client): Promise<void> {
  await repeat(client, 'select id from unsafe where customer = $1 and power(state, 2) = 9');
  await repeat(client, `select id /* ${'x'.repeat(9000)} */ from long where customer = $1`);
  await repeat(client, 'select sum(b.sneak) from called b where b.customer = $1 and b.state = 3');
  for (const table of ['typed', 'ordered', 'counted']) await repeat(client, find(table));
}

describe.each(isProof() ? MAJORS.slice(0, -1) : MAJORS.slice(-1))('on PostgreSQL %s', (major) => {
  let server: TestCluster;
  let client: pg.Client;
  let readings: Readings;
  let odd: Readings;
  beforeAll(async () => {
    server = await replicatingServer({ major, settings: { shared_buffers: '256MB' } });
    await server.query('create extension pg_stat_statements');
    await server.query('create database odd');
    client = await clientOn(server, 'postgres');
    const other = await clientOn(server, 'odd');
    await makeSilent(server);
    await makeOdd(other);
    await server.query('select pg_stat_reset()');
    await server.query('select pg_stat_statements_reset()');
    for (const table of SILENT) await repeat(client, find(table));
    await repeat(client, find('seldom'), 10);
    await readOdd(other);
    await other.end();
    readings = await read(server);
    odd = await read(server, undefined, 'odd');
  });
  afterAll(async () => {
    await client?.end();
    await server?.stop();
  });

  it('finds the table that lacks one, and none that is small, seldom read or has one in another form', () => {
    expect(judged(readings).tables).toEqual(['lacking']);
  });

  it('leaves a table alone that is written much more than it is read', () => {
    const written = { ...readings, readings: new Map(readings.readings) };
    change(written, 'pg_index_advice', () => ({ n_tup_ins: 50_000_000 }));
    expect(judged(written).tables).toEqual([]);
  });

  it('says which statements could not be judged, and why', () => {
    const because = judged(odd).unknown.map((one) => one.because);
    expect(because).toContainEqual(
      expect.stringContaining('public.unsafe" could not be checked. The database defines functions'),
    );
    // A column reference that calls, and a column whose type has a check: planning would evaluate both.
    expect(because).toContainEqual(
      expect.stringContaining('public.called" could not be checked. The database defines functions'),
    );
    for (const table of ['typed', 'ordered', 'counted'])
      expect(because).toContainEqual(
        expect.stringMatching(
          new RegExp(`public\\.${table}" could not be checked\\. It reads .* types of its own`),
        ),
      );
    expect(because.join('\n')).toMatch(/Its text is too long and was cut/);
    expect(JSON.stringify(judged(readings).unknown)).not.toMatch(/lacking|partial/);
  });

  it('plans nothing that could run functions of the database', async () => {
    const planned = await server.query(
      `select query from pg_stat_statements where query ilike 'prepare%matriarch_advice%' and query ~ 'unsafe|called|typed'`,
    );
    expect(planned).toEqual([]);
  });

  it('leaves no transaction, no prepared statement and no setting behind', async () => {
    const session = await sessionOn(server);
    const ask = () =>
      session.client.query(`select (select count(*)::int from pg_prepared_statements where name = 'matriarch_advice') as prepared,
        current_setting('plan_cache_mode') as mode, current_setting('search_path') as path,
        (select count(*)::int from pg_stat_activity where pid = pg_backend_pid() and xact_start < query_start) as open`);
    const before = await ask();
    await readingsOf(session, probesOf(check));
    expect(await ask()).toEqual(before);
    await session.client.close();
  });

  it('is unknown to a role that may not read the table, with the grant', async () => {
    await server.query("create role watcher login password 'w' in role pg_monitor");
    const seen = async () => judged(await read(server, { username: 'watcher', password: 'w' }));
    expect((await seen()).tables).toEqual([]);
    // Those that took longest are looked at, which on a busy machine may be others: this one runs until it is among them.
    await expect
      .poll(async () => {
        await repeat(client, find('lacking'));
        return (await seen()).unknown;
      })
      .toContainEqual({
        because: expect.stringContaining(
          'public.lacking" could not be checked. Our role may not read its tables',
        ),
        mend: 'grant select on "public"."lacking" to "watcher";',
        database_name: 'postgres',
      });
  });
});
