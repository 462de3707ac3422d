// Secrets among the settings of a server that its role may read: no reading statement shows them, nor lets anybody find out what they are
// by asking about them; everything else about settings is answered as ever.
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { StatementParser } from '../../kernel/parser/parser.ts';
import { Secret } from '../../kernel/secret.ts';
import { startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { connectTarget } from '../connect.ts';
import { explainStatement, prepareOnly, readRows } from './read.ts';
import type { SessionOptions } from './transaction.ts';
import { StatementRefused } from './types.ts';

const CANARY = 'canary-5e1f';
const OF_BACKENDS =
  'array(select pg_stat_get_backend_activity(id) from pg_stat_get_backend_idset() id)::text';
const parser = new StatementParser();
afterAll(() => parser.stop());

/** Secrets elsewhere than in the settings of the server itself. */
const SECRETS = [
  'create extension pg_stat_statements',
  'create role shop login',
  `alter role shop set shop.api_key = '${CANARY}'`,
  `alter role shop set work_mem = '9MB'`,
  `alter database postgres set shop.password = '${CANARY}'`,
  `create function public.configured() returns int language sql set shop.secret = '${CANARY}' as 'select 1'`,
  'create foreign data wrapper fdw',
  `create server far foreign data wrapper fdw options (host 'there', password '${CANARY}')`,
  `create role late password '${CANARY}'`,
  `select set_config('shop.token', '${CANARY}', false)`,
  'create view public.own_roles as select rolname, rolconfig from pg_roles',
  'create view public.own_activity as select query from pg_stat_activity',
  'create view public.own_statements as select query from pg_stat_statements',
];

/** Quotes in comments and in names begin no literal, and comments may hold secrets themselves. */
const SPOKEN = [
  `alter role late password '${CANARY}'`,
  `select e'it\\'s ${CANARY}' as password`,
  `select /* don't */ set_config('shop.password', '${CANARY}', false)`,
  `select 1 as "it's", set_config('shop.password', '${CANARY}', false)`,
  `select 1 as "a ""'"" b", '${CANARY}' as "it's the password"`,
  `/* ' */ select set_config('shop.password', '${CANARY}', false)`,
  `-- don't\nselect set_config('shop.password', '${CANARY}', false)`,
  `select 1 -- ' \n, '${CANARY}' as password -- '`,
  `select /* a /* ' */ b */ '${CANARY}' as password`,
  `select '--', '/*', '${CANARY}' as password, '*/'`,
  `select 1 -- password=${CANARY}`,
  `select 1 /* postgres://shop:${CANARY}@there/shop **/`,
  `select 1 as password /* ${CANARY} */`,
];

describe.each(majorsOfKits())('on PostgreSQL %s', (major) => {
  let server: TestCluster | undefined;
  const speakers: pg.Client[] = [];
  afterAll(async () => {
    for (const speaker of speakers) await speaker.end();
    await server?.stop();
  });
  const ready = async () => {
    if (server) return server;
    server = await startCluster({
      major,
      settings: {
        primary_conninfo: `host=elsewhere user=repl password=${CANARY}`,
        'shop.api_key': CANARY,
        work_mem: '7MB',
        shared_preload_libraries: 'pg_stat_statements',
      },
    });
    await server.query(`create role watcher login password 'watching' in role pg_monitor`);
    await server.query('create view public.own_settings as select * from pg_settings');
    for (const text of SECRETS) await server.query(text);
    await server.query(
      'create view public.own_setting as select current_setting(name) as value from pg_settings',
    );
    // Sessions whose last statement is one with a secret in it.
    for (const text of SPOKEN) {
      const speaker = new pg.Client({ connectionString: server.url });
      speakers.push(speaker);
      await speaker.connect();
      await speaker.query(text);
    }
    await server.query('grant select on all tables in schema public to watcher');
    return server;
  };

  async function within<T>(work: (options: SessionOptions) => Promise<T>): Promise<T> {
    const { host, port } = await ready();
    const client = await connectTarget({
      ...{ host, port, database: 'postgres', username: 'watcher', password: new Secret('watching') },
      ssl_mode: 'disable',
      application_name: 'matriarch sql',
      connect_timeout_ms: 5000,
      statement_timeout_ms: 10_000,
      allow_private_networks: true,
    });
    try {
      return await work({ client, parser, timeout_ms: 10_000, allow_superuser: false });
    } finally {
      await client.close();
    }
  }
  const rows = (text: string) =>
    within((options) => readRows(options, { text, limit: 1000, offset: 0 })).then(
      (table) => JSON.stringify(table.rows),
      (error: unknown) =>
        error instanceof StatementRefused ? `refused: ${error.message}` : Promise.reject(error),
    );

  it('the role sees them without us, or this shows nothing', async () => {
    const seen = await within(({ client }) =>
      client.query<{ setting: string }>('select setting from pg_settings where setting like $1', [
        `%${CANARY}%`,
      ]),
    );
    expect(seen.length).toBe(1);
    const own = await within(({ client }) => client.query(`select current_setting('shop.api_key') as value`));
    expect(own).toEqual([{ value: CANARY }]);
    for (const text of [
      'select rolconfig::text as seen from pg_roles',
      'select useconfig::text as seen from pg_user',
      'select setconfig::text as seen from pg_db_role_setting',
      'select proconfig::text as seen from pg_proc',
      'select srvoptions::text as seen from pg_foreign_server',
      'select query as seen from pg_stat_activity',
      `select query as seen from pg_stat_activity where query like 'select e%'`,
      `select ${OF_BACKENDS} as seen`,
      'select query as seen from public.pg_stat_statements',
    ])
      expect([
        text,
        JSON.stringify(await within(({ client }) => client.query(text))).includes(CANARY),
      ]).toEqual([text, true]);
  });

  it.each([
    'select name, setting, reset_val from pg_settings',
    'table pg_settings',
    'select * from pg_settings s',
    'select pg_settings from pg_settings',
    'select to_jsonb(s) from pg_settings s',
    "select reverse(setting) from pg_settings where name = 'primary_conninfo'",
    `select 'it_is' from pg_settings where setting like '%${CANARY}%'`,
    `with a as (select * from pg_settings) select 'it_is' from a where a.setting ~ 'canary'`,
    `select s.name, s.setting from (with pg_settings as (select 1 as a) select a from pg_settings) x, pg_settings s`,
    `select (with pg_settings as (select 1 as a) select a from pg_settings), setting from pg_settings`,
    `with pg_settings as (select * from pg_settings) select setting from pg_settings`,
    `(with pg_settings as (select '' as setting) select setting from pg_settings) union all select setting from pg_settings`,
    `with b as (select setting from pg_settings), pg_settings as (select '' as setting) select setting from b`,
    `select 'it_is' where exists (select from pg_settings where reset_val like '%canary%')`,
    `(select setting from pg_settings) union all select 'x';`,
    'select setting from pg_settings -- the end',
    'select setting from pg_catalog.pg_settings',
    'select setting from "pg_catalog"."pg_settings"',
    'select setting from public.own_settings',
    'select value from public.own_setting',
    'select setting from pg_show_all_settings()',
    `select current_setting('primary_conninfo')`,
    `select current_setting('PRIMARY_CONNINFO')`,
    `select current_setting('shop.api_key', true)`,
    `select current_setting('primary_' || 'conninfo')`,
    `select pg_catalog . "current_setting" (U&'primary\\005fconninfo')`,
    `select current_setting(name) from pg_settings`,
    'show primary_conninfo',
    'show "primary_conninfo"',
    'show all',
    'show shop.api_key',
    `explain analyze select 1 from pg_settings where setting like '%${CANARY}%'`,
    'select rolconfig from pg_roles',
    'select rolconfig from pg_catalog.pg_roles',
    'select r.* from "pg_catalog" . "pg_roles" r',
    `select 'it_is' from pg_roles where rolconfig::text like '%${CANARY}%'`,
    `select 'it_is' from pg_roles, unnest(rolconfig) as c where c ~ 'canary'`,
    'select to_jsonb(r) from pg_roles r',
    'select pg_roles from pg_roles',
    'select rolconfig from public.own_roles',
    'with pg_roles as (select * from pg_catalog.pg_roles) select rolconfig from pg_roles',
    'explain analyze verbose select rolconfig from pg_roles',
    'select useconfig from pg_user',
    'select useconfig from pg_catalog.pg_user',
    'select setconfig from pg_db_role_setting',
    `select 'it_is' from pg_catalog.pg_db_role_setting where array_to_string(setconfig, ',') like '%canary%'`,
    'select proconfig from pg_proc where proconfig is not null',
    `select pg_get_functiondef('public.configured'::regproc)`,
    'select srvoptions from pg_foreign_server',
    'select (pg_options_to_table(srvoptions)).* from pg_catalog.pg_foreign_server',
    'select option_value from information_schema.foreign_server_options',
    'select * from information_schema._pg_foreign_servers',
    'select query from pg_stat_activity',
    'select query from pg_catalog.pg_stat_activity',
    `select 'it_is' from pg_stat_activity where query like '%' || 'cana' || 'ry%' and pid <> pg_backend_pid()`,
    'select query from pg_stat_get_activity(null)',
    `select ${OF_BACKENDS}`,
    'select query from public.own_activity',
    'select query from pg_stat_statements',
    'select query from public.pg_stat_statements',
    `select 'it_is' from public.pg_stat_statements s where s.query like '%' || 'cana' || 'ry%'`,
    'select query from pg_stat_statements(true)',
    'select query from public.own_statements',
  ])('%s', async (text) => {
    const answer = await rows(text);
    expect(answer).not.toContain(CANARY);
    expect(answer).not.toContain([...CANARY].reverse().join(''));
    expect(answer).not.toContain('it_is');
  });

  it('nor by explaining and preparing', async () => {
    const text = `select 1 from pg_settings where setting like '%canary%'`;
    const wishes = { analyze: true, buffers: false, format: 'text' } as const;
    const plan = await within((options) => explainStatement(options, text, wishes));
    expect(plan.rows.flat().join('\n')).toMatch(/rows=0|actual.*rows=0/);
    await within((options) => prepareOnly(options, text));
  });

  it.each([
    [`select setting from pg_settings where name = 'work_mem'`, '[["7168"]]'],
    [`select name from pg_settings where setting = '********' order by 1`, '[["primary_conninfo"]]'],
    [`select current_setting('work_mem')`, '[["7MB"]]'],
    ['show work_mem', '[["7MB"]]'],
    ['with a as (select 1 as n) select n from a, pg_settings where name = $$port$$', '[["1"]]'],
    [`select count(*) > 300 from pg_settings`, '[["t"]]'],
    ['with pg_settings as (select 5 as n) select n from pg_settings', '[["5"]]'],
    [
      `select rolconfig from pg_catalog.pg_roles where rolname = 'shop'`,
      '[["{shop.api_key=********,work_mem=9MB}"]]',
    ],
    [
      `select count(*) from pg_roles r join pg_catalog.pg_roles s using (oid) where s.rolname = 'shop'`,
      '[["1"]]',
    ],
    [`select srvoptions from pg_foreign_server`, '[["{host=there,password=********}"]]'],
    [
      `select query from public.pg_stat_statements where query like 'create extension%'`,
      '[["create extension pg_stat_statements"]]',
    ],
    [
      `select count(*) > 0 from pg_catalog.pg_stat_activity where pid = pg_backend_pid() and query ~ 'sql.fetch'`,
      '[["t"]]',
    ],
  ])('%s', async (text, expected) => {
    expect(await rows(text)).toBe(expected);
  });
});
