// False alarms: ten healthy servers and databases of different shapes, each read by every probe that checks ask and judged by every
// check. Nothing above info may be found on any of them, now or five weeks later. The table that is printed says what was found.
// Everyday three of them, of one server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { append } from '../../kernel/lists.ts';
import { judgeReadings, probesOf, type Readings, readingsOf } from '../../testing/servers/judging.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';
import { sessionOn } from '../../testing/servers/probing.ts';
import { endAll, several } from '../../testing/servers/rule-scenes/scene.ts';
import { replicatingServer, startStandby, subscribe, untilTrue } from '../../testing/servers/server-sets.ts';
import { isProof } from '../../testing/tier.ts';
import { checks } from '../checks/catalog.gen.ts';
import type { Check } from '../checks/types.ts';

/** As a server that is well has it; those of tests are set for speed. */
const SETTINGS = {
  fsync: true,
  full_page_writes: true,
  synchronous_commit: true,
  track_io_timing: true,
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  max_connections: 100,
  max_locks_per_transaction: 128,
} as const;

/** A month with its end and its reports lies within. */
const LATER_MS = 36 * 86_400_000;

const ALL: readonly Check[] = checks;
const PROBES = [...new Set(ALL.flatMap(probesOf))];

let primary: TestCluster;
let standby: TestCluster;
let subscriber: TestCluster;
beforeAll(async () => {
  primary = await replicatingServer({ settings: SETTINGS });
  if (!isProof()) return;
  standby = await startStandby(primary, { settings: SETTINGS });
  subscriber = await replicatingServer({ settings: SETTINGS });
});
afterAll(async () => {
  for (const server of [subscriber, standby, primary]) await server?.stop();
});

/** A database of the server, with what these statements make in it. */
async function filled(server: TestCluster, name: string, ...statements: readonly string[]): Promise<string> {
  await server.query(`create database ${name}`);
  const [client] = await several(1, { ...server, url: server.url.replace(/postgres$/, name) });
  for (const one of statements) await client?.query(one);
  await client?.end();
  return name;
}

interface Shape {
  shape: string;
  isQuick?: boolean;
  on?: () => TestCluster;
  /** Answers the database. */
  make(): Promise<string>;
}

const ACCOUNTS = `create table accounts (id int primary key, balance int not null, filler text);
insert into accounts select g, 0, repeat('x', 80) from generate_series(1, 20000) g;
create table history (id bigint generated always as identity primary key, account int not null references accounts, delta int);
create index on history (account);
analyze`;

const WORK = `do $$ begin
  for n in 1..2000 loop
    update accounts set balance = balance + 1 where id = 1 + (random() * 19999)::int;
    insert into history (account, delta) select 1 + (random() * 19999)::int, 1;
    if n % 10 = 0 then commit; end if;
  end loop;
end $$`;

async function busy(): Promise<string> {
  const name = await filled(primary, 'oltp', ACCOUNTS);
  const clients = await several(6, { ...primary, url: primary.url.replace(/postgres$/, name) });
  await Promise.all(clients.map((client) => client.query(WORK)));
  await endAll(clients);
  return name;
}

const many = (count: number, statement: string) => `do $$ begin
  for n in 1..${count} loop
    ${statement}
    if n % 500 = 0 then commit; end if;
  end loop;
end $$`;

async function subscribed(): Promise<string> {
  const table = 'create table if not exists news (id int primary key, what text)';
  await primary.query(table);
  await subscriber.query(table);
  await subscribe(subscriber, primary, { name: 'kit_sub' });
  await primary.query("insert into news select g, 'x' from generate_series(1, 1000) g");
  await untilTrue(subscriber, '(select count(*) = 1000 from news)');
  return 'postgres';
}

const ALL_SHAPES: readonly Shape[] = [
  { shape: 'empty', isQuick: true, make: () => filled(primary, 'nothing') },
  {
    shape: 'tiny',
    isQuick: true,
    make: () =>
      filled(
        primary,
        'tiny',
        'create table notes (id serial primary key, body text)',
        "insert into notes (body) values ('one')",
      ),
  },
  {
    shape: 'read-only',
    make: () =>
      filled(
        primary,
        'readonly',
        'create table facts as select g as id, md5(g::text) as what from generate_series(1, 50000) g',
        'alter table facts add primary key (id)',
        'vacuum (freeze, analyze) facts',
        many(3000, 'perform * from facts where id = n;'),
        'alter database readonly set default_transaction_read_only = on',
      ),
  },
  { shape: 'heavy OLTP', make: busy },
  {
    shape: 'partitioned',
    make: () =>
      filled(
        primary,
        'partitioned',
        'create table events (at date not null, id bigint not null, what text, primary key (at, id)) partition by range (at)',
        many(
          200,
          "execute format('create table events_%s partition of events for values from (%L) to (%L)', n, date '2025-01-01' + n, date '2025-01-02' + n);",
        ),
        "insert into events select date '2025-01-02' + g % 200, g, 'x' from generate_series(1, 20000) g",
        'vacuum analyze',
      ),
  },
  {
    shape: 'many schemas',
    make: () =>
      filled(
        primary,
        'tenants',
        many(
          300,
          "execute format('create schema tenant_%s', n); execute format('create table tenant_%s.users (id serial primary key, name text unique)', n);",
        ),
      ),
  },
  {
    shape: 'freshly restored',
    isQuick: true,
    make: () =>
      filled(
        primary,
        'restored',
        ACCOUNTS.replace(/;\s*analyze$/, ''),
        'insert into history (account, delta) select 1 + g % 20000, 1 from generate_series(1, 50000) g',
      ),
  },
  {
    shape: '10,000 tables',
    make: () =>
      filled(primary, 'thousands', many(10_000, "execute format('create table t_%s (id int)', n);")),
  },
  { shape: 'logical subscriber', on: () => subscriber, make: subscribed },
  { shape: 'standby', on: () => standby, make: async () => 'postgres' },
];

const SHAPES = ALL_SHAPES.filter(({ isQuick }) => isProof() || isQuick);

async function readAt(server: TestCluster, database: string): Promise<Readings> {
  const session = await sessionOn(server, undefined, database);
  try {
    return await readingsOf(session, PROBES);
  } finally {
    await session.client.close();
  }
}

it('healthy servers of different shapes raise nothing above info', { timeout: 300_000 }, async () => {
  const table: string[] = [];
  const alarms: string[] = [];
  for (const { shape, on = () => primary, make } of SHAPES) {
    const server = on();
    const database = await make();
    const members =
      server === subscriber || !isProof()
        ? []
        : [await readAt(server === primary ? standby : primary, 'postgres')];
    const readings = await readAt(server, database);
    const found = [0, LATER_MS].map((later) => judgeReadings(ALL, readings, { later, members }));
    const [now = [], after = []] = found;
    const applied = now.filter(({ applies }) => applies).length;
    const blind = now.filter(({ unknown }) => unknown.length > 0).length;
    // Who knows nothing alarms nobody.
    expect(applied - blind).toBeGreaterThan(applied / 2);
    const info = now.flatMap((verdict) => verdict.found).filter(({ severity }) => severity === 'info').length;
    const loud = [...now, ...after].flatMap(({ check, found: all }) =>
      all
        .filter(({ severity }) => severity !== 'info')
        .map((one) => `${shape}: ${check.name}: ${one.message}`),
    );
    append(alarms, loud);
    table.push(
      [
        shape.padEnd(20),
        ...[applied, blind, info, loud.length].map((count) => String(count).padStart(8)),
      ].join(''),
    );
  }
  const head = ['checks', 'unknown', 'info', 'alarms'].map((name) => name.padStart(8)).join('');
  process.stdout.write(`${'server'.padEnd(20)}${head}\n${table.join('\n')}\n`);
  expect([...new Set(alarms)]).toEqual([]);
  expect(table).toHaveLength(isProof() ? 10 : 3);
});
