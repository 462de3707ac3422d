// Running SQL on a connection over HTTP: what reads is run, what may write is asked about, and nobody writes with read access. What a
// statement did is looked up on the server from outside.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditRoutes } from '../../identity/audit/audit.routes.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { sqlRoom } from '../../testing/rooms/sql.ts';
import { datastoreServer } from '../../testing/servers/postgres.ts';

let test: TestApi;
let id = 0;

beforeAll(async () => {
  test = await startTestApi({
    rooms: [auditRoutes, connectionsRoom, sqlRoom],
    config: { sharedAccess: 'read' },
  });
  const { host, port, superuser: username, password } = datastoreServer();
  const facts = { host, port, username, password, database_name: test.database.name, ssl_mode: 'disable' };
  const made = await test.call('POST /api/v1/connections', {
    token: test.actors.superuser.session,
    body: { name: 'real', is_shared: true, ...facts },
  });
  ({ id } = JSON.parse(made.text));
});
afterAll(() => test.close());

const run = (text: string) => test.db.run({ text, values: [] });
beforeEach(async () => {
  await run('drop schema if exists desk cascade');
  await run('create schema desk');
  await run('create table desk.t (a int)');
  await run('insert into desk.t values (1)');
  await run(`create function desk.own() returns int language sql as 'select count(*)::int from desk.t'`);
  await run('create view desk.calls as select desk.own() as n');
  await run(
    `create function desk.less(int, int) returns boolean language plpgsql as 'begin return true; end'`,
  );
  await run('create operator desk.### (leftarg = int, rightarg = int, function = desk.less)');
  await run(`create function desk.one() returns int language plpgsql immutable as 'begin return 1; end'`);
  await run('create domain desk.checked as int check (value > desk.one())');
  await run('create table desk.defaulted (a int default desk.one())');
  await run(`create function desk.adds() returns void language sql as 'insert into desk.t values (2)'`);
});
const count = async () =>
  (await test.db.one<{ n: number }>({ text: 'select count(*)::int as n from desk.t', values: [] })).n;

async function ask(
  query: string,
  more: { confirmed?: boolean; as?: 'superuser' | 'other'; database_name?: string } = {},
) {
  const { as = 'superuser', ...body } = more;
  const answer = await test.call(`POST /api/v1/connections/${id}/query`, {
    token: test.actors[as].session,
    body: { query, ...body },
  });
  return { status: answer.status, error: answer.error, ...JSON.parse(answer.text) };
}

describe('reading', () => {
  it('answers each statement with its rows, its cut or its error', async () => {
    const answer = await ask(
      `select a, null as b from desk.t; select i from generate_series(1, 600) i; select nobody; show work_mem`,
    );
    expect(answer.status).toBe(200);
    expect(answer.total_statements).toBe(4);
    const [first, second, third, fourth] = answer.results;
    expect(first).toEqual({
      columns: ['a', 'b'],
      rows: [['1', null]],
      row_count: 1,
      truncated: false,
      query: 'select a, null as b from desk.t',
    });
    expect([second.row_count, second.truncated]).toEqual([500, true]);
    expect([third.rows, third.error]).toEqual([[], 'column "nobody" does not exist']);
    expect(fourth.columns).toEqual(['work_mem']);
  });

  it('goes to another database when asked', async () => {
    const { results } = await ask('select current_database()', { database_name: 'postgres' });
    expect(results[0].rows).toEqual([['postgres']]);
    const gone = await ask('select 1', { database_name: 'no such database' });
    expect([gone.status, gone.error]).toEqual([
      502,
      'The database no such database does not exist on the server.',
    ]);
  });

  it('asks about whatever is not proven to read only, and readers are refused', async () => {
    for (const query of [
      'select desk.own()',
      'select desk.adds()',
      'select * from desk.calls',
      'explain analyze select desk.own()',
      'select * from desk.t order by a operator(desk.###) 1',
      `select '{1}'::desk._checked`,
    ]) {
      const asked = await ask(query);
      expect([query, asked.requires_confirmation, asked.results]).toEqual([query, true, []]);
      expect(asked.write_statements).toEqual([query]);
    }
    expect((await ask('select desk.own()', { confirmed: true })).results[0].rows).toEqual([['1']]);
    const reader = await ask('select desk.own()', { as: 'other' });
    expect(reader.results[0].error).toContain('is user-defined in this database');
    expect(await count()).toBe(1);
  });

  it('lists what is not proven behind the first that writes, and only that', async () => {
    const query = `insert into desk.t values (7); select desk.own(); select a from desk.t; explain select 1; select * from desk.calls`;
    expect((await ask(query)).write_statements).toEqual([
      'insert into desk.t values (7)',
      'select desk.own()',
      'select * from desk.calls',
    ]);
    expect(await count()).toBe(1);
  });

  it('plans what would write where planning runs nothing of the database, and asks where it may', async () => {
    for (const query of [
      'explain update desk.t set a = 2',
      'explain (costs off) delete from desk.t where a = 1',
      'EXPLAIN (verbose, analyze false) insert into desk.t values (1)',
    ]) {
      const { results, requires_confirmation } = await ask(query);
      expect([query, requires_confirmation, results[0].error]).toEqual([query, undefined, undefined]);
      expect(results[0].rows.flat().join(' ')).toMatch(/on (?:desk\.)?t\b/);
      expect((await ask(query, { as: 'other' })).results[0].error).toBeUndefined();
    }
    for (const query of [
      'explain insert into desk.defaulted values (default)',
      'explain analyze update desk.t set a = 2',
    ])
      expect((await ask(query)).write_statements).toEqual([query]);
    const refused = await ask('explain insert into desk.defaulted default values', { as: 'other' });
    expect(refused.results[0].error).toContain('behind a default of defaulted');
    expect(await count()).toBe(1);
  });

  it('answers what the server says of an explain that it does not know, and of parameters without values', async () => {
    const nosuch = await ask('explain (nosuch) select 1');
    expect([nosuch.status, nosuch.requires_confirmation]).toEqual([200, undefined]);
    expect(nosuch.results[0].error).toBe('unrecognized EXPLAIN option "nosuch"');
    const generic = await ask(
      'EXPLAIN (GENERIC_PLAN) SELECT relname FROM pg_class WHERE oid = $1; explain (generic_plan, format json) update desk.t set a = $1 where a = $2',
    );
    expect(generic.results.map(({ error }: { error?: string }) => error)).toEqual([undefined, undefined]);
    expect(generic.results[0].rows.flat().join('\n')).toContain('oid = $1');
    for (const query of [
      'select relname from pg_class where oid = $1',
      'explain select relname from pg_class where oid = $1',
      'update desk.t set a = $1',
      'insert into desk.t select $1::int',
    ]) {
      const answer = await ask(query);
      expect([query, answer.status, answer.results?.[0]?.error]).toEqual([
        query,
        200,
        expect.stringMatching(/value/),
      ]);
      const confirmed = await ask(query, { confirmed: true });
      expect([query, confirmed.status, confirmed.results[0].error]).toEqual([
        query,
        200,
        expect.stringMatching(/value|parameter/),
      ]);
    }
    expect(await count()).toBe(1);
  });

  it.each([
    'begin',
    'commit',
    'listen x',
    'copy desk.t to stdout',
    `copy desk.t to program 'true'`,
    '',
    '-- nothing',
  ])('refuses %j with 400', async (query) => {
    const answer = await ask(query);
    expect(answer.status).toBe(400);
    expect(answer.error).toMatch(/\.$/);
  });

  it('refuses more than twenty statements', async () => {
    expect((await ask('select 1;'.repeat(21))).status).toBe(400);
  });
});

describe('writing', () => {
  it('is asked about first, with the statements that would write, and nothing is kept', async () => {
    const answer = await ask('select 1; insert into desk.t values (5); select 2; drop table desk.t');
    expect(answer).toMatchObject({
      results: [],
      total_statements: 4,
      requires_confirmation: true,
      write_statements: ['insert into desk.t values (5)', 'drop table desk.t'],
    });
    expect(answer.confirmation_message).toContain('2 statements of 4 change something');
    expect(await count()).toBe(1);
  });

  it('asks about what a read-only transaction does not hold back, and runs it only then', async () => {
    const query = `select pg_advisory_lock(7)`;
    expect((await ask(query)).write_statements).toEqual([query]);
    expect((await ask(query, { confirmed: true })).results[0].error).toBeUndefined();
  });

  it('runs one by one once it is confirmed, and stops at the first error', async () => {
    const query = `insert into desk.t values (5), (6) returning a; update desk.t set a = a + 1; insert into desk.u values (1); drop table desk.t`;
    const answer = await ask(query, { confirmed: true });
    expect(answer.total_statements).toBe(4);
    const [inserted, updated, failed, ...rest] = answer.results;
    expect([inserted.rows, inserted.row_count]).toEqual([[['5'], ['6']], 2]);
    expect([updated.rows, updated.row_count]).toEqual([[], 3]);
    expect(failed.error).toBe('relation "desk.u" does not exist');
    expect(rest).toEqual([]);
    expect(await count()).toBe(3);
    const vacuum = await ask('vacuum desk.t', { confirmed: true });
    expect(vacuum.results[0].error).toBeUndefined();
  });

  it('is an error text with read access, confirmed or not', async () => {
    for (const confirmed of [false, true]) {
      const { status, requires_confirmation, results } = await ask('delete from desk.t', {
        as: 'other',
        confirmed,
      });
      expect([status, requires_confirmation, results.length]).toEqual([200, undefined, 1]);
      expect(results[0].error).toContain('With read access');
    }
    expect(await count()).toBe(1);
  });

  it('is in the audit log, and so is what was refused', async () => {
    await ask('delete from desk.t where a = 99', { confirmed: true });
    const log = await test.call('GET /api/v1/audit?action=sql.run&limit=1', {
      token: test.actors.superuser.session,
    });
    expect(JSON.parse(log.text).events[0]).toMatchObject({
      outcome: 'ok',
      target_kind: 'connection',
      details: { purpose: 'query, writable', fingerprint: expect.any(String) },
    });
  });
});
