// query_datastore as assistants call it: what it answers, to whom, and what it refuses. That the views hold by themselves, whatever is
// run in the session of their role, is in query-role.kit.test.ts of the datastore. A datastore whose owner may make no role is in the proof.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import type { TestApi } from '../../testing/api.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';

let test: TestApi;
let seen = 0;
let unseen = 0;
let token = '';
beforeAll(async () => {
  test = await startWholeApi();
  await test.db.run(sql`/* test.private */ update matriarch.connections set is_shared = false`);
  const ada = await makeUser(test.db);
  token = ada.session;
  seen = await makeConnection(test.db, { owner_id: ada.user_id });
  unseen = test.actors.own_connection;
  await makeGroup(test.db, { users: [ada.user_id], mcp: ['query_datastore'] });
  for (const id of [seen, unseen])
    await test.db.run(sql`/* test.alert */
      insert into matriarch.alerts (alert_type, raised_by, connection_id, severity, title, description, triggered_at, last_updated)
      values ('threshold', 'rule', ${id}, 'warning', ${`of ${id}`}, 'x', now(), now())`);
  for (const id of [seen, unseen])
    await test.db.run(sql`/* test.reading */
      insert into metrics.current_snapshots (connection_id, probe, attempted_at, collected_at, outcome, rows)
      values (${id}, 'p', now(), now(), 'ran', '[{"a": 1}, {"a": 2}]')`);
  await test.db.run(sql`/* test.estate */
    insert into matriarch.blackouts (scope, reason, start_time, end_time, created_by, created_at)
    values ('estate', 'all', now() - interval '1 hour', now() + interval '1 hour', 'ada', now())`);
});
afterAll(() => test.close());

async function call(query: string, as = token, more: object = {}) {
  const { body } = await test.call('POST /api/v1/mcp/tools/call', {
    token: as,
    body: { name: 'query_datastore', arguments: { query, ...more } },
  });
  const { content, isError = false } = Object(body);
  return { text: String(content[0].text), isError: Boolean(isError) };
}
async function rows(query: string, as = token, more: object = {}): Promise<string[]> {
  const { text, isError } = await call(query, as, more);
  expect([isError, text]).toEqual([false, text]);
  return text.split('\n').slice(4);
}

describe('answers', () => {
  it('what the caller sees, and nothing of others', async () => {
    expect(await rows('select id from connections')).toEqual([String(seen)]);
    expect(await rows('select connection_id, title from alerts')).toEqual([`${seen}\tof ${seen}`]);
    for (const view of ['metrics', 'facts', 'alerts', 'rules', 'blackouts', 'findings', 'timeline'])
      for (const line of await rows(`select distinct connection_id from ${view}`))
        expect([view, line]).toEqual([view, expect.stringMatching(new RegExp(`^${seen}$`))]);
    expect(await rows('select count(*) from blackouts')).toEqual(['1']);
    const readings = "select connection_id, probe, (reading ->> 'a')::int as a from metrics order by a";
    expect(await rows(readings)).toEqual([`${seen}\tp\t1`, `${seen}\tp\t2`]);
    expect(await rows('select count(*) > 10 from rules')).toEqual(['t']);
    const all = await rows('select id from connections order by id', test.actors.superuser.session);
    expect(all).toEqual(expect.arrayContaining([String(seen), String(unseen)]));
  });

  it('of the rights at that moment', async () => {
    const bob = await makeUser(test.db);
    await makeGroup(test.db, { users: [bob.user_id], mcp: ['query_datastore'] });
    expect(await rows('select id from connections', bob.session)).toEqual([]);
    const own = await makeConnection(test.db, { owner_id: bob.user_id });
    expect(await rows('select id from connections', bob.session)).toEqual([String(own)]);
  });

  it('joins, groups and windows, in rows that go on', async () => {
    const query = `with a as (select c.name, count(*) over () as n from alerts x join matriarch_query.connections c on c.id = x.connection_id
      where x.triggered_at > now() - interval '7 days' and x.title like 'of%')
      select name is not null, n, date_trunc('day', now()) <= now(), jsonb_build_object('a', 1) ->> 'a' from a`;
    expect(await rows(query)).toEqual(['t\t1\tt\t1']);
    const text = (await call('select id from generate_series(1, 20) id', token, { limit: 5, offset: 2 }))
      .text;
    expect(text).toMatch(/\n3\n4\n5\n6\n7\n\(the first 5 rows; there are more/);
  });

  it('leaves no session registered, and stands in the audit log', async () => {
    await rows('select 1 as n from connections');
    expect(await test.db.rows(sql`/* test.left */ (select pid from matriarch.query_sessions)`)).toEqual([]);
    const last = await test.db.one<object>(sql`/* test.audit */
      (select outcome, target_kind, details ->> 'purpose' as purpose, details ->> 'rows' as rows, details::text like '%select%' as has_text
      from matriarch.audit_events where action = 'sql.run' order by id desc limit 1)`);
    expect(last).toEqual({
      ...{
        outcome: 'ok',
        target_kind: 'datastore',
        purpose: 'tool query_datastore',
        rows: '1',
        has_text: false,
      },
    });
  });

  it('several at once, each with what its own caller sees', async () => {
    const superuser = test.actors.superuser.session;
    const count = async (as: string) =>
      (await call('select count(*) from connections', as)).text.split('\n').at(-1);
    const [all] = await rows('select count(*) from connections', superuser);
    for (let round = 0; round < 5; round += 1)
      expect(await Promise.all([count(token), count(superuser), count(token), count(superuser)])).toEqual([
        '1',
        all,
        '1',
        all,
      ]);
  });
});

describe('refuses', () => {
  it.each([
    'select * from matriarch.users',
    'select * from users',
    'select * from matriarch.connections',
    'select * from matriarch_query.users',
    'select * from query_sessions',
    'select * from pg_class',
    'select * from pg_catalog.pg_stats',
    'select * from pg_stat_activity',
    'select * from pg_settings',
    'select * from information_schema.tables',
    'table pg_authid',
    'select * from connections, pg_roles',
    `select t.relname from (with pg_stat_user_tables as (select 1 as a) select a from pg_stat_user_tables) x, pg_stat_user_tables t`,
    'with pg_roles as (select * from pg_roles) select * from pg_roles',
    'select (select count(*) from pg_class)',
    `select pg_relation_size('matriarch.users')`,
    `select pg_stat_get_live_tuples(1)`,
    `select pg_get_viewdef('connections'::regclass)`,
    `select 'matriarch.users'::regclass`,
    `select to_regclass('matriarch.users')`,
    `select has_table_privilege('matriarch.users', 'select')`,
    `select current_setting('search_path')`,
    `select set_config('role', 'postgres', false)`,
    `select pg_backend_pid()`,
    `select pg_sleep(5)`,
    `select pg_advisory_lock(1)`,
    `select lo_create(0)`,
    `select query_to_xml('select 1', true, true, '')`,
    `select * from dblink('', 'select 1') as t (a int)`,
    `select version()`,
    `select inet_server_addr()`,
    `select pg_read_file('/etc/passwd')`,
    `select ('/etc/passwd'::text).pg_read_file`,
    `select ('search_path'::text).current_setting`,
    `select x.current_setting from cast('search_path' as text) x`,
    'select x.pg_get_userbyid from generate_series(10, 10) x',
    `select ('matriarch.users').regclass`,
    'select (10).pg_get_userbyid',
    `select pg_ls_dir('.')`,
    `select nextval('matriarch.users_id_seq')`,
    'set role postgres',
    'reset role',
    'reset session authorization',
    'show all',
    'explain select * from connections',
    'explain analyze select * from connections',
    'begin',
    'lock connections',
    'create temp table t (n int)',
    'select * into t from connections',
    'insert into connections values (1)',
    'update alerts set title = $$x$$',
    'delete from matriarch.query_sessions',
    'select * from connections for update',
    'copy connections to stdout',
    'select 1; select 2',
    'listen x',
    'do $$ begin end $$',
  ])('%s', async (query) => {
    const { text, isError } = await call(query);
    expect([isError, text]).toEqual([true, text]);
    expect(text.length).toBeGreaterThan(15);
  });

  it.each([
    // What fails for a row that is not seen would tell of it.
    `select 1 / (case when title like 'of%' and connection_id = @U then 0 else 1 end) from alerts`,
    `select title::int from alerts where connection_id = @U`,
    `select count(*) from alerts where connection_id = @U and (title || 'x')::int > 0`,
    `select * from alerts where 1 / (connection_id - @U) > 0 and connection_id = @S`,
    `select (jsonb_build_object('a', title) ->> 'a')::numeric from alerts where connection_id = @U`,
    `select * from connections where id = @U and 1 / (id - id) > 0`,
  ])('to be told by an error: %s', async (query) => {
    const { text, isError } = await call(
      query.replaceAll('@U', String(unseen)).replaceAll('@S', String(seen)),
    );
    expect([isError, text]).toEqual([false, text]);
  });
});
