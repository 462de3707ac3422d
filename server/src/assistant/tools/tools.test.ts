// What tools answer, on a real server and with real rows of the datastore, called as an assistant calls them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import type { TestApi } from '../../testing/api.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { datastoreServer } from '../../testing/servers/postgres.ts';

let test: TestApi;
let connection_id = 0;
let token = '';
beforeAll(async () => {
  test = await startWholeApi();
  token = test.actors.superuser.session;
  const { host, port, superuser: username, password } = datastoreServer();
  const made = await test.call('POST /api/v1/connections', {
    token,
    body: { name: 'real', host, port, username, password, database_name: 'postgres', ssl_mode: 'disable' },
  });
  connection_id = JSON.parse(made.text).id;
});
afterAll(() => test.close());

async function call(name: string, input: object = {}, as = token) {
  const { body } = await test.call('POST /api/v1/mcp/tools/call', {
    token: as,
    body: { name, arguments: input },
  });
  const { content, isError = false } = Object(body);
  return { text: String(content[0].text), isError: Boolean(isError) };
}
async function answered(name: string, input: object = {}, as = token): Promise<string> {
  const { text, isError } = await call(name, input, as);
  expect([isError, text]).toEqual([false, text]);
  return text;
}
async function refused(name: string, input: object = {}, as = token): Promise<string> {
  const { text, isError } = await call(name, input, as);
  expect([isError, text]).toEqual([true, text]);
  return text;
}

describe('what every answer has', () => {
  it('is a source, a page, and a table whose cells cannot end it', async () => {
    const text = await answered('list_connections');
    const [about, source, page, head, ...rows] = text.split('\n');
    expect([about, source, page]).toEqual([
      '3 monitored servers that you can see',
      expect.stringMatching(/^Source: collected samples, as known at \d{4}-/),
      'Page: /',
    ]);
    expect(head?.split('\t').slice(0, 3)).toEqual(['id', 'name', 'description']);
    expect(rows).toHaveLength(3);
    const odd = 'a\tb\nc\\d\u202e';
    const content = await answered('query_database', {
      connection_id,
      query: `select '${odd}' as x, null as y`,
    });
    expect(content).toContain('a\\tb\\nc\\\\d\\u{202e}\tnull');
  });

  it('is the current connection where none is named, and says what to do without one', async () => {
    expect(await refused('count_rows', { table: 't' })).toMatch(
      /^No connection is selected: give connection_id/,
    );
    await test.call('POST /api/v1/connections/current', { token, body: { connection_id } });
    expect(await answered('test_query', { query: 'select 1' })).toContain(`connection ${connection_id}`);
    await test.call('DELETE /api/v1/connections/current', { token });
  });
});

describe('statements', () => {
  it('read, are cut with word of it, and go on', async () => {
    const query = 'select n from generate_series(1, 30) n';
    const cut = await answered('query_database', { connection_id, query, limit: 10 });
    expect(cut).toMatch(/n \[integer\]\n1\n2\n(.*\n)*10\n\(the first 10 rows; there are more\. Ask again/);
    const rest = await answered('query_database', { connection_id, query, limit: 50, offset: 25 });
    expect(rest.split('\n').slice(-5)).toEqual(['26', '27', '28', '29', '30']);
  });

  it('never write, also for those who may', async () => {
    for (const query of ['create table x (n int)', 'select 1; select 2', 'select pg_terminate_backend(1)'])
      expect((await refused('query_database', { connection_id, query })).length).toBeGreaterThan(20);
    expect(
      await refused('execute_explain', { connection_id, query: 'delete from pg_class', analyze: true }),
    ).not.toBe('');
  });

  it('are explained and tested', async () => {
    const plan = await answered('execute_explain', {
      connection_id,
      query: 'select * from pg_class',
      analyze: true,
    });
    expect(plan).toMatch(/Seq Scan on pg_class .*actual/);
    const json = await answered('execute_explain', { connection_id, query: 'select 1', format: 'json' });
    expect(json).toContain('"Plan"');
    expect(await answered('test_query', { connection_id, query: 'select $1::int' })).toContain('$1 integer');
    expect(await refused('test_query', { connection_id, query: 'select * from no_such_table' })).toContain(
      'no_such_table',
    );
  });

  it('count one table under one expression', async () => {
    const input = { connection_id, table: 'pg_class', schema: 'pg_catalog' };
    expect(await answered('count_rows', input)).toMatch(/^count\n\d+\n/);
    const where = "relname = 'pg_class' and (relkind = 'r')";
    expect(await answered('count_rows', { ...input, where })).toMatch(/^count\n1\n/);
    for (const odd of [
      'true) or (true',
      '1=1 -- x',
      "relname = 'x",
      'true; select 1',
      '$$a$$ = $$a$$',
      '(true',
    ])
      expect(await refused('count_rows', { ...input, where: odd })).toMatch(/^where must be one expression/);
    expect(await refused('count_rows', { ...input, table: 'x" where true --' })).toContain('does not exist');
  });

  it('tell of schemas', async () => {
    await test.db.run({
      text: 'create table if not exists public.herd (id int primary key, name text not null)',
      values: [],
    });
    const all = await answered('get_schema_info', { connection_id, database_name: test.database.name });
    expect(all).toMatch(/public\therd\ttable/);
    const one = await answered('get_schema_info', {
      ...{ connection_id, database_name: test.database.name, schema_name: 'public', table_name: 'herd' },
    });
    expect(one).toMatch(/## Columns of public\.herd\n[^\n]*\nid\tinteger\tt\t/);
    expect(one).toContain('herd_pkey\tCREATE UNIQUE INDEX');
    expect(await refused('get_schema_info', { connection_id, table_name: 'herd' })).toContain('schema_name');
  });
});

describe('what is stored', () => {
  it.each([
    ['list_probes', {}, 'pg_stat_database'],
    ['describe_probe', { probe_name: 'pg_stat_database' }, 'xact_commit'],
    ['get_alert_history', {}, 'Nothing fired'],
    ['get_alert_rules', { category: 'connections' }, 'connection_utilization'],
    ['get_blackouts', { include_schedules: true }, 'There is no schedule'],
    ['get_timeline_events', {}, 'Nothing happened'],
    ['recall_memories', { query: 'nothing' }, 'Nothing fits'],
  ])('%s', async (name, input, expected) => {
    expect(await answered(name, input)).toContain(expected);
  });

  it.each([
    ['list_probes', 'pg_stat_database'],
    ['get_alert_rules', 'connection_utilization'],
    ['get_metric_baselines', 'Fewer than 30 samples'],
    ['get_blackouts', 'There is none'],
  ])('%s of a connection', async (name, expected) => {
    expect(await answered(name, { connection_id })).toContain(expected);
  });

  it('says what there is instead of what was named wrongly', async () => {
    expect(await refused('describe_probe', { probe_name: 'pg_stat_databse' })).toContain('pg_stat_database');
    expect(await refused('get_metric_baselines', { connection_id, metric_name: 'x' })).toContain(
      'describe_probe',
    );
    expect(
      await refused('query_metrics', { connection_id, probe_name: 'pg_stat_database', time_start: 'soon' }),
    ).toMatch(/^time_start must be/);
    const range = { time_start: '1h', time_end: '2h' };
    expect(
      await refused('query_metrics', { connection_id, probe_name: 'pg_stat_database', ...range }),
    ).toContain('before time_end');
  });

  it('reads metrics in buckets, with null for what nobody measured', async () => {
    const input = { connection_id, probe_name: 'pg_stat_database', metrics: 'numbackends', buckets: 4 };
    const text = await answered('query_metrics', input);
    expect(text).toMatch(/4 buckets of 900 s/);
    expect(text).toContain('Nothing was measured then');
  });
});

describe('memories', () => {
  it('are kept, found by words with the pinned ones first, and deleted', async () => {
    const ada = await makeUser(test.db);
    const keep = (content: string, more = {}) =>
      answered('store_memory', { content, category: 'fact', ...more }, ada.session);
    await keep('The batch runs at night');
    await keep('Disks are in Frankfurt', { pinned: true });
    const said = await keep('The batch of orders runs at noon');
    const found = (await answered('recall_memories', { query: 'orders batch' }, ada.session))
      .split('\n')
      .slice(-3);
    expect(found.map((line) => line.split('\t').at(-1))).toEqual([
      'Disks are in Frankfurt',
      'The batch of orders runs at noon',
      'The batch runs at night',
    ]);
    const id = Number(/memory (\d+)/.exec(said)?.[1]);
    expect(await answered('recall_memories', { query: 'batch' }, token)).toContain('Nothing fits');
    expect(await refused('delete_memory', { id }, token)).toBe('There is no such memory.');
    expect(await answered('delete_memory', { id }, ada.session)).toBe(`Memory ${id} is deleted.`);
  });

  it('for everybody take the permission, and have their bounds', async () => {
    const [ada, keeper] = [await makeUser(test.db), await makeUser(test.db)];
    await makeGroup(test.db, { users: [keeper.user_id], permissions: ['store_system_memory'] });
    const input = { content: 'Reports in UTC', category: 'x', scope: 'system' };
    expect(await refused('store_memory', input, ada.session)).toBe(
      'You need the permission store_system_memory.',
    );
    await answered('store_memory', input, keeper.session);
    const scope = { connections: [{ connection_id: 1, level: 'read' as const }] };
    const limited = await makeToken(test.db, keeper.user_id, { scope });
    expect(await refused('store_memory', input, limited)).toMatch(/^Every chat reads system notes/);
    const pinned = { content: 'Obey', category: 'x', pinned: true };
    expect(await refused('store_memory', pinned, limited)).toMatch(/^Every chat reads pinned notes/);
    expect(await answered('recall_memories', { query: 'utc' }, ada.session)).toContain('Reports in UTC');
    expect(await refused('store_memory', { ...input, content: 'ü'.repeat(5000) }, keeper.session)).toContain(
      '8192 bytes',
    );
  });
});
