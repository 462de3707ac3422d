// The role that reads the views of the datastore, with nothing but the server between: whatever is run in its sessions, it sees what is
// registered for that session alone. Then how it is made by owners who may create roles and by those who may not, on the oldest and the
// newest server that a datastore may have; the oldest in the proof alone.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { isProof } from '../testing/tier.ts';
import { migrate } from './migrate.ts';
import { type QueryRoleMaker, queryRole } from './query-role.ts';

const vault = { derive: (purpose: string) => new Secret(`made for ${purpose}`) };
const CANARY = 'canary-7b2c';

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const SCENE = [
  `insert into matriarch.users (username, password_hash) values ('ada', '${CANARY}')`,
  `insert into matriarch.connections (owner_id, name, host, port, database_name, username)
   select u.id, n, n, 5432, 'x', 'x' from matriarch.users u, unnest(array['mine', '${CANARY}']) n`,
  `insert into matriarch.alerts (alert_type, raised_by, connection_id, severity, title, description, triggered_at, last_updated)
   select 'threshold', 'r', c.id, 'info', c.name, c.name, now(), now() from matriarch.connections c`,
  `insert into metrics.facts (connection_id, probe, item_key, valid_from, value)
   select c.id, 'p', c.name, now() - i * interval '1 s', to_jsonb(c.name) from matriarch.connections c, generate_series(1, 300) i`,
  'analyze',
];

const VERSIONS = isProof() ? ([14] as const) : ([18] as const);

describe.each(VERSIONS)('on PostgreSQL %s', (major) => {
  let server: TestCluster;
  let url = '';
  let maker: QueryRoleMaker;
  let reader = '';
  beforeAll(async () => {
    server = await startCluster({ major });
    await server.query('create database store');
    url = server.url.replace(/\/postgres$/, '/store');
    await migrate(new Secret(url), silentLog);
    await connected(url, async (client) => {
      for (const text of SCENE) await client.query(text);
    });
    maker = queryRole({ url: new Secret(url), vault });
    const role = await maker.role();
    if (role.kind === 'missing') throw new Error(role.reason);
    const own = new URL(url);
    own.username = role.username;
    own.password = role.password.reveal();
    reader = own.toString();
  }, 60_000);
  afterAll(() => server?.stop());

  const register = (pid: number) =>
    connected(url, (client) =>
      client.query(
        `insert into matriarch.query_sessions (pid, connection_ids)
         select $1, array_agg(c.id) from matriarch.connections c where c.name = 'mine'`,
        [pid],
      ),
    );
  /** All that came of some statements in one session, as text. */
  async function seenBy(statements: readonly string[], isRegistered = true): Promise<string> {
    return connected(reader, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      if (isRegistered) await register(rows[0]?.pid ?? 0);
      const all: string[] = [];
      client.on('notice', (notice) => all.push(String(notice.message)));
      for (const text of statements) {
        // Only what each answers counts; most are refused.
        const answer = await client.query({ text, rowMode: 'array' }).catch((error: Error) => error.message);
        all.push(typeof answer === 'string' ? answer : JSON.stringify(answer));
      }
      return all.join('\n');
    });
  }
  const LOOK = [
    'select * from matriarch_query.connections',
    'select * from matriarch_query.alerts',
    'select * from matriarch_query.facts',
    'select * from matriarch_query.timeline',
    'select * from matriarch_query.rules',
  ];

  it('sees what is registered for its session, and nothing in one that is not', async () => {
    expect(await seenBy(LOOK)).toContain('mine');
    expect(await seenBy(LOOK)).not.toContain(CANARY);
    expect(await seenBy(LOOK, false)).not.toMatch(/mine|canary/);
  });

  it.each([
    [
      'another role',
      [
        'set role postgres',
        'set session authorization postgres',
        'reset role',
        'reset session authorization',
      ],
    ],
    [
      'settings',
      [
        `select set_config('role', 'postgres', false)`,
        `select set_config('session_authorization', 'postgres', false)`,
        'set row_security = off',
        'set session_replication_role = replica',
        'set default_transaction_read_only = off',
        'reset all',
        'discard all',
      ],
    ],
    [
      'another read-write transaction',
      [
        'begin read write',
        'insert into matriarch.query_sessions values (pg_backend_pid(), array[1, 2])',
        'rollback',
        'set transaction_read_only = off',
        'delete from matriarch.query_sessions',
        'update matriarch.query_sessions set connection_ids = array[1, 2, 3]',
      ],
    ],
    [
      'a search path',
      [
        'set default_transaction_read_only = off',
        'create temp table query_sessions as select pg_backend_pid() as pid, array[1, 2, 3] as connection_ids',
        'create temp table query_visible as select 1 as connection_id union select 2',
        'create temp table connections as select * from matriarch.connections',
        'set search_path = pg_temp, matriarch, matriarch_query, pg_catalog',
        'create function pg_temp.pg_backend_pid() returns int language sql as $$ select 1 $$',
      ],
    ],
    [
      'functions and operators that tell',
      [
        'set default_transaction_read_only = off',
        `create function pg_temp.tell(t text) returns boolean language plpgsql cost 0.0000001 as $$ begin raise notice 'told %', t; return true; end $$`,
        'select count(*) from matriarch_query.alerts where pg_temp.tell(title)',
        'select count(*) from matriarch_query.connections where pg_temp.tell(name)',
        'select count(*) from matriarch_query.facts where pg_temp.tell(item_key)',
        'select count(*) from matriarch_query.timeline where pg_temp.tell(title)',
        'create operator pg_temp.=== (function = pg_temp.tell, rightarg = text)',
      ],
    ],
    [
      'errors',
      [
        'select count(*) from matriarch_query.alerts where title::int > 0',
        'select * from matriarch_query.connections where (name)::int > 0',
        'select * from matriarch_query.facts where (value #>> array[item_key])::int > 1',
        `select * from matriarch_query.alerts where (case when title = 'mine' then '1' else title end)::int > 0`,
      ],
    ],
    [
      'views over views',
      [
        'set default_transaction_read_only = off',
        'create temp view w as select * from matriarch_query.connections',
        'select * from w',
        'alter view matriarch_query.connections set (security_barrier = false)',
        'create or replace view matriarch_query.connections as select 1',
        'create rule r as on select to matriarch_query.connections do instead select 1',
      ],
    ],
    [
      'base tables and catalogues',
      [
        'select * from matriarch.connections',
        'select * from matriarch.users',
        'select * from matriarch.query_sessions',
        'select * from matriarch.query_visible',
        'select * from metrics.facts',
        'select * from pg_authid',
        'select most_common_vals::text from pg_stats',
        'select stavalues1::text from pg_statistic',
        'select * from matriarch.api_tokens',
        'copy matriarch.users to stdout',
      ],
    ],
    [
      'large objects, files and other servers',
      [
        `select lo_import('/etc/passwd')`,
        `select pg_read_file('postgresql.conf')`,
        `copy (select 1) to program 'id'`,
        `select pg_ls_dir('.')`,
        'create extension dblink',
        `select * from dblink('dbname=store', 'select name from matriarch.connections') as t (a text)`,
      ],
    ],
    [
      'what the planner says',
      [
        `explain select * from matriarch_query.alerts where title like 'canary%'`,
        `explain analyze select * from matriarch_query.connections where name ~ 'canary'`,
        `explain (verbose) select * from matriarch_query.facts`,
      ],
    ],
    [
      'prepared statements and cursors',
      [
        'prepare p as select * from matriarch_query.connections',
        'execute p',
        'begin',
        'declare c cursor with hold for select * from matriarch_query.connections',
        'fetch all from c',
        'commit',
        'fetch all from c',
      ],
    ],
    [
      'other sessions',
      [
        'select query from pg_stat_activity',
        'select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user',
        'select pg_cancel_backend(1)',
      ],
    ],
  ] as const)('cannot be talked out of it by %s', async (way, statements) => {
    const all = await seenBy([...statements, ...LOOK, `select count(*) from matriarch_query.connections`]);
    // Statements are echoed in no answer, so that what is there was read.
    expect(all.replaceAll(/operator does not exist.*|syntax error.*/g, '')).not.toContain(CANARY);
    // Or nobody would have been told anything.
    if (way === 'functions and operators that tell') expect(all).toContain('told mine');
    const still = await seenBy(LOOK);
    expect(still).toContain('mine');
    expect(still).not.toContain(CANARY);
  });

  it('estimates of the planner are the same whether a row that is not seen fits or not', async () => {
    const rowsOf = async (word: string) =>
      /rows=(\d+)/.exec(
        await seenBy([`explain select * from matriarch_query.facts where item_key = '${word}'`]),
      )?.[1];
    expect(await rowsOf(CANARY)).toBe(await rowsOf('nothing-like-it'));
  });

  it('is narrow, and is not used once it is not', async () => {
    const { username = '' } = await maker
      .role()
      .then((role) => (role.kind === 'ready' ? role : { username: '' }));
    await connected(url, (client) => client.query(`grant pg_monitor to ${username}`));
    expect(await maker.role()).toMatchObject({
      kind: 'missing',
      reason: expect.stringContaining('may do more than it should'),
    });
    await connected(url, (client) => client.query(`revoke pg_monitor from ${username}`));
    expect(await maker.role()).toMatchObject({ kind: 'ready' });
  });

  it('is made by an owner who may create roles, and else by the command that is told', async () => {
    for (const may of ['createrole', 'nocreaterole']) {
      await server.query(`create role owner_${may} login ${may} password 'own'`);
      await server.query(`create database db_${may} owner owner_${may}`);
      const own = new URL(url);
      [own.username, own.password, own.pathname] = [`owner_${may}`, 'own', `/db_${may}`];
      await migrate(new Secret(own.toString()), silentLog);
      const made = queryRole({ url: new Secret(own.toString()), vault });
      let role = await made.role();
      expect([may, role.kind]).toEqual([may, may === 'createrole' ? 'ready' : 'missing']);
      if (role.kind === 'missing') {
        const [, command = ''] = /A superuser of the datastore can fix it: (.*)$/.exec(role.reason) ?? [];
        expect(role.reason).not.toContain(vault.derive('').reveal().trim());
        await connected(own.toString().replace(/owner_\w+:own/, `postgres:${server.password}`), (client) =>
          client.query(command),
        );
        role = await made.role();
      }
      if (role.kind === 'missing') return expect.fail(role.reason);
      [own.username, own.password] = [role.username, role.password.reveal()];
      const count = await connected(own.toString(), (client) =>
        client.query('select count(*)::int as n from connections'),
      );
      expect(count.rows).toEqual([{ n: 0 }]);
    }
  });

  it('is made once by several processes that begin at the same time', async () => {
    await server.query('create database fresh');
    const own = url.replace('/store', '/fresh');
    await migrate(new Secret(own), silentLog);
    const makers = Array.from({ length: 4 }, () => queryRole({ url: new Secret(own), vault }));
    const roles = await Promise.all(makers.map((made) => made.role()));
    expect(roles.map(({ kind }) => kind)).toEqual(['ready', 'ready', 'ready', 'ready']);
  });

  it('gets its password anew where another key file made it', async () => {
    const other = queryRole({
      url: new Secret(url),
      vault: { derive: (purpose) => new Secret(`other ${purpose}`) },
    });
    expect((await other.role(true)).kind).toBe('ready');
    await expect(connected(reader, async () => undefined)).rejects.toThrow(/password/);
    expect((await maker.role(true)).kind).toBe('ready');
    await connected(reader, async () => undefined);
  });
});

it('every view of the schema is cut by the same condition and is a barrier', () => {
  const text = readFileSync(
    path.join(import.meta.dirname, '../../migrations/0039_query_datastore.sql'),
    'utf8',
  );
  const views = text.split(/^create view /m).filter((part) => part.startsWith('matriarch_query.'));
  expect(views.length).toBe(8);
  for (const view of views) {
    expect(view).toMatch(/^matriarch_query\.\w+ with \(security_barrier\) as/);
    expect(view).toMatch(/\noffset 0;/);
    expect(view).toMatch(
      /in \(select v\.connection_id from matriarch\.query_visible v\)|from matriarch_query\.blackouts/,
    );
  }
});
