// The tools that run SQL, on every version of PostgreSQL that is monitored, and how often tools may be called.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { startWholeApi, type WholeApi } from '../../testing/rooms/whole.ts';
import { sharedServer } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { createToolbox } from './toolbox.ts';

let test: WholeApi;
beforeAll(async () => {
  test = await startWholeApi();
});
afterAll(() => test.close());

async function callOn(on: WholeApi, token: string, [name, input]: readonly [string, object]) {
  const { status, body } = await on.call('POST /api/v1/mcp/tools/call', {
    token,
    body: { name, arguments: input },
  });
  const { content, isError = false } = Object(body);
  return { status, text: String(content[0].text), isError: Boolean(isError) };
}

describe.each(majorsOfKits())('on PostgreSQL %s', (major) => {
  let connection_id = 0;
  beforeAll(async () => {
    const { host, port, superuser: username, password } = await sharedServer(major);
    const body = {
      name: `pg${major}`,
      host,
      port,
      username,
      password,
      database_name: 'postgres',
      ssl_mode: 'disable',
    };
    const made = await test.call('POST /api/v1/connections', { token: test.actors.superuser.session, body });
    connection_id = JSON.parse(made.text).id;
  });
  const call = (name: string, input: object) =>
    callOn(test, test.actors.superuser.session, [name, { connection_id, ...input }]);
  const answered = async (name: string, input: object) => {
    const { text, isError } = await call(name, input);
    expect([isError, text]).toEqual([false, text]);
    return text;
  };

  it('execute_explain plans, runs and counts, as text and as JSON', async () => {
    const query = "select relname from pg_class where relname = 'pg_class'";
    expect(await answered('execute_explain', { query })).toMatch(/Index.* Scan using pg_class_relname/);
    expect(await answered('execute_explain', { query: 'select oid from pg_class where oid = $1' })).toContain(
      '$1',
    );
    const run = await answered('execute_explain', { query, analyze: true, buffers: true });
    expect(run).toMatch(/actual time=[\s\S]*Buffers: shared hit=/);
    const json = await answered('execute_explain', { query, format: 'json', analyze: true });
    const [plan] = JSON.parse(json.slice(json.indexOf('[')));
    expect(plan.Plan['Actual Rows']).toBe(1);
    expect(await answered('execute_explain', { query: 'delete from pg_class where oid = 1' })).toContain(
      'Delete on pg_class',
    );
    const refused = await call('execute_explain', { query: 'delete from pg_class', analyze: true });
    expect(refused.isError).toBe(true);
  });

  it('query_database reads, cuts and goes on', async () => {
    expect(await answered('query_database', { query: 'show server_version_num' })).toMatch(
      new RegExp(`\\n${major}\\d{4}$`),
    );
    const query = 'select n, n * 1.5 as x from generate_series(1, 50) n order by 1';
    expect(await answered('query_database', { query, limit: 2, offset: 3 })).toMatch(
      /\n4\t6\.0\n5\t7\.5\n\(the first 2 rows; there are more/,
    );
    expect(
      await answered('query_database', { query: 'select state, wait_event_type from pg_stat_activity' }),
    ).toContain('active');
    for (const odd of ['delete from pg_class', 'select pg_sleep(1)', 'vacuum', 'select 1; select 2'])
      expect([odd, (await call('query_database', { query: odd })).isError]).toEqual([odd, true]);
  });

  it('the others answer too', async () => {
    expect(await answered('test_query', { query: 'select $1::int' })).toContain('$1 integer');
    expect(await answered('count_rows', { table: 'pg_class', schema: 'pg_catalog' })).toMatch(
      /^count\n\d+\n/,
    );
    expect(await answered('get_schema_info', {})).toContain('Schema of connection');
  });
});

describe('how often', () => {
  it('each user may call is limited, in words that say when to come back, and others are not held up', async () => {
    const { sql } = test.services;
    const toolbox = createToolbox({ base_url: undefined, sql, clock: systemClock, calls_per_minute: 3 });
    const own = await startWholeApi({ services: { toolbox } });
    try {
      const { owner, other } = own.actors;
      const asked = ['test_query', { query: 'select' }] as const;
      const said = [];
      for (let call = 0; call < 5; call += 1) said.push(await callOn(own, owner.session, asked));
      const limited = said.map(({ text }) =>
        /^Too many calls of tools within a minute\. Try again in \d+ seconds?;/.test(text),
      );
      expect(limited).toEqual([false, false, false, true, true]);
      expect(said.at(-1)).toMatchObject({ status: 200, isError: true });
      expect((await callOn(own, other.session, asked)).text).not.toMatch(/^Too many calls/);
    } finally {
      await own.close();
    }
  });
});
