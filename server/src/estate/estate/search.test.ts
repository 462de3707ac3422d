// Finding databases and statements over HTTP on an estate of 1,000 servers with ten databases each and 5,000 statements.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { estateRoutes } from './estate.routes.ts';
import type { EstateFound } from './search.contract.ts';

type SearchResult = Static<typeof EstateFound>;

let test: TestApi;
let token: string;
let owner: number;
let first: number;
let hidden: number;
let gone: number;

async function ask(query: string, as = token): Promise<SearchResult> {
  test.statements.reset();
  const { status, text } = await test.call(`GET /api/v1/estate/search?${query}`, { token: as });
  expect(status, text).toBe(200);
  expect(test.statements.sent.length).toBeLessThanOrEqual(3);
  return JSON.parse(text);
}

const databases = async (query: string, as?: string) =>
  (await ask(query, as)).databases.map(({ server_name, database_name }) => `${server_name} ${database_name}`);
const statements = async (query: string, as?: string) =>
  (await ask(query, as)).statements.map(({ server_name, queryid, query: text }) => [
    server_name,
    queryid,
    text,
  ]);

const addDatabases = (connectionId: number, names: readonly string[]) =>
  test.db.run(sql`/* test.databases */
    insert into metrics.current_snapshots (connection_id, probe, collected_at, attempted_at, outcome, rows)
    select
      ${connectionId}, 'pg_database', now(), now(), 'ran',
      jsonb_agg(jsonb_build_object('datname', n, 'datistemplate', n like 'template%', 'database_size_bytes', 10))
    from unnest(${names}::text[]) n`);

const addStatement = (connectionId: number, queryid: string, text: string) =>
  test.db.run(sql`/* test.statement */
    insert into metrics.queries (connection_id, database_name, queryid, userid, toplevel, query_text)
    select ${connectionId}, 'shop', ${queryid}::bigint, u, true, ${text} from generate_series(10, 11) u`);

beforeAll(async () => {
  test = await startTestApi({ rooms: [estateRoutes] });
  const made = await makeUser(test.db);
  [token, owner] = [made.session, made.user_id];
  await test.db.run(sql`/* test.estate */
    with made as (
      insert into matriarch.connections (owner_id, name, host, port, database_name, username)
      select ${owner}, 'server ' || to_char(n, 'FM0000'), 'h', 5432, 'd', 'u' from generate_series(1, 1000) n
      returning id, name
    ), snapshot as (
      insert into metrics.current_snapshots (connection_id, probe, collected_at, attempted_at, outcome, rows)
      select
        m.id, 'pg_database', now(), now(), 'ran',
        (
          select jsonb_agg(
            jsonb_build_object('datname', 'db' || d || right(m.name, 4), 'datistemplate', false, 'database_size_bytes', d)
          )
          from generate_series(0, 9) d
        )
      from made m
    )
    insert into metrics.queries (connection_id, database_name, queryid, userid, toplevel, query_text)
    select m.id, 'db', n, 10, true, format('select * from table_%s where Column_%s = $1', n, right(m.name, 4))
    from made m, generate_series(1, 5) n`);
  await test.db.run(sql`/* test.analyze */ analyze metrics.queries`);
  const other = await makeUser(test.db);
  const add = (owner_id: number, name: string) => makeConnection(test.db, { owner_id, name });
  [first, hidden, gone] = [
    await add(owner, 'orders'),
    await add(other.user_id, 'hidden'),
    await add(owner, 'gone'),
  ];
  await addDatabases(first, ['shop', 'shop_old', 'workshop', '100%', 'template1']);
  for (const id of [hidden, gone]) await addDatabases(id, ['shop', 'workshop']);
  for (const id of [first, hidden, gone]) {
    await addStatement(id, '-7', 'SELECT * FROM public.Order_Items WHERE pensioner = $1');
    await addStatement(id, '8', 'select /* probe.order_items */ pensioner');
  }
  await test.db.run(
    sql`/* test.deleted */ update matriarch.connections set deleted_at = now() where id = ${gone}`,
  );
});
afterAll(() => test.close());

describe('what somebody types', () => {
  it('finds databases by their name and their server: the same first, then those that begin so', async () => {
    expect(await databases('text=Shop')).toEqual(['orders shop', 'orders shop_old', 'orders workshop']);
    expect(await databases('text=orders%20work')).toEqual(['orders workshop']);
    expect(await databases('text=orders')).toEqual([]);
    expect(await databases('text=template')).toEqual([]);
    expect(await databases('text=0%25')).toEqual(['orders 100%']);
    expect(await databases('text=db30777')).toEqual(['server 0777 db30777']);
    expect(await databases('text=db9&limit=3')).toHaveLength(3);
    expect(await databases('text=%20')).toEqual([]);
  });

  it('finds statements by how their words begin, each once, without those of the monitor', async () => {
    const text = 'SELECT * FROM public.Order_Items WHERE pensioner = $1';
    expect(await statements('text=items')).toEqual([['orders', '-7', text]]);
    expect(await statements('text=order_it%20PENS')).toEqual([['orders', '-7', text]]);
    // What only looks like words of a search is one, too.
    expect(await statements(`text=${encodeURIComponent("order':* & !items | (")}`)).toEqual([
      ['orders', '-7', text],
    ]);
    expect(await statements('text=ensioner')).toEqual([]);
    expect(await statements('text=or')).toEqual([]);
    expect(await statements('text=column_0500%20table_4')).toEqual([
      ['server 0500', '4', 'select * from table_4 where Column_0500 = $1'],
    ]);
  });

  it('puts those of the server that is open first, however frequent the words are', async () => {
    const { id } = await test.db.one<{ id: number }>(
      sql`/* test.id */ select c.id from matriarch.connections c where c.name = 'server 0900'`,
    );
    const found = await ask(`text=table&near=${id}&limit=6`);
    expect(found.statements.map(({ server_name }) => server_name).slice(0, 5)).toEqual(
      Array.from({ length: 5 }, () => 'server 0900'),
    );
    expect(found.statements[5]?.server_name).not.toBe('server 0900');
    expect((await databases(`text=db1&near=${id}`))[0]).toBe('server 0900 db10900');
    // It is no way to what one cannot see.
    expect(await statements(`text=items&near=${hidden}`)).toMatchObject([
      ['orders', '-7', expect.anything()],
    ]);
  });

  it('finds nothing on servers that the caller, or the scope of their token, cannot see', async () => {
    const stranger = await makeUser(test.db);
    expect(await ask('text=shop', stranger.session)).toEqual({ databases: [], statements: [] });
    expect(await ask('text=items', stranger.session)).toEqual({ databases: [], statements: [] });
    const { id } = await test.db.one<{ id: number }>(
      sql`/* test.id */ select c.id from matriarch.connections c where c.name = 'server 0001'`,
    );
    const scoped = await makeToken(test.db, owner, {
      scope: { connections: [{ connection_id: id, level: 'read' }] },
    });
    expect(await databases('text=shop', scoped)).toEqual([]);
    expect(await databases('text=db20001', scoped)).toEqual(['server 0001 db20001']);
    expect(await statements('text=items', scoped)).toEqual([]);
    expect((await test.call('GET /api/v1/estate/search?text=shop')).status).toBe(401);
  });

  it.each([
    ['text', ''],
    ['text', `text=${'x'.repeat(201)}`],
    ['limit', 'text=shop&limit=51'],
  ])('refuses a wrong %s', async (name, query) => {
    const { status, body } = await test.call(`GET /api/v1/estate/search?${query}`, { token });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(name)]);
  });

  it('takes statements from the index of words', async () => {
    const plan = await test.db.rows<Record<string, string>>(sql`/* test.plan */
      explain select q.queryid from metrics.queries q
      where to_tsvector('simple'::regconfig, regexp_replace(left(q.query_text, 4096), '[\\x01-/:-@\\[-\`{-\\x7f]+', ' ', 'g'))
        @@ to_tsquery('simple'::regconfig, '''order'':*')`);
    expect(JSON.stringify(plan)).toContain('queries_words_idx');
    // Without statistics of the texts and their words, which are the most work to analyze.
    const analyzed = await test.db.rows<{ name: string }>(sql`/* test.statistics */
      select a.attname as name
      from pg_statistic s
      join pg_attribute a on a.attrelid = s.starelid and a.attnum = s.staattnum
      where s.starelid in ('metrics.queries'::regclass, 'metrics.queries_words_idx'::regclass)`);
    const names = analyzed.map(({ name }) => name);
    expect(names).toContain('queryid');
    expect(names).not.toContain('query_text');
    expect(names).not.toContain('to_tsvector');
  });
});
