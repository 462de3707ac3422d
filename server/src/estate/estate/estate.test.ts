import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { collected, reported } from '../../testing/store/collected.ts';
import { statementsOf } from '../../testing/store/statements.ts';
import { estateRoutes } from './estate.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [estateRoutes] });
});
afterAll(() => test.close());

const ago = (seconds: number) => systemClock.now() - seconds * 1000;

interface Answered {
  generated_at: string;
  servers: Record<string, unknown>[];
}
async function estate(token: string): Promise<Answered> {
  const { status, text } = await test.call('GET /api/v1/estate', { token });
  expect(status).toBe(200);
  const body: Answered = JSON.parse(text);
  return body;
}

/** Without the connections that everybody sees. */
const ownOf = ({ servers }: Answered) => servers.filter(({ is_shared }) => is_shared === false);

async function person(): Promise<{
  user_id: number;
  session: string;
  add: (name: string) => Promise<number>;
}> {
  const { user_id, session } = await makeUser(test.db);
  const add = (name: string) => makeConnection(test.db, { owner_id: user_id, name, is_monitored: true });
  return { user_id, session, add };
}

/** What coverage asks the datastore, sign-in included. */
const COVERAGE = ['access.presented', 'estate.runs', 'probe_configs.changed', 'server_logs.source'];

const server = (is_in_recovery: boolean) => ({
  probe: 'pg_server_info',
  rows: [{ server_version: '17.2', is_in_recovery }],
  history_by: [],
});
const databases = (...sizes: (number | string | null)[]) => ({
  probe: 'pg_database',
  rows: [
    { datname: 'template0', datistemplate: true, database_size_bytes: 1000 },
    { datname: 'template1', datistemplate: true, database_size_bytes: 1000 },
    ...sizes.map((size, index) => ({
      datname: `db${index}`,
      datistemplate: false,
      database_size_bytes: size,
    })),
  ],
});
const ping = (at: number, response_time_ms = 0.4) => ({
  probe: 'pg_connectivity',
  at,
  rows: [{ response_time_ms }],
});

describe('getEstate', () => {
  it('shows each visible server with its newest samples, in two statements beside the sign-in at most', async () => {
    const { session, add } = await person();
    const [a, b, c] = [await add('alpha'), await add('Beta'), await add('gamma')];
    const sampled = ago(1);
    await collected(
      test.db,
      { connection_id: a, ...ping(sampled, 1.25) },
      { connection_id: a, at: sampled, ...server(false) },
      { connection_id: a, at: sampled, ...databases(100, null, 50) },
      { connection_id: a, at: sampled, probe: 'host', rows: [] },
      { connection_id: a, at: ago(0), probe: 'pg_sys_os_info', rows: [] },
      {
        connection_id: a,
        at: ago(0),
        probe: 'pg_sys_load_avg_info',
        skipped: { reason: 'No source knows this.', mend: null },
      },
      { connection_id: b, ...ping(ago(100)) },
      { connection_id: b, at: ago(100), ...server(true) },
      { connection_id: b, at: ago(100), ...databases(null) },
      { connection_id: b, at: ago(99), probe: 'pg_settings', failed: 'It took too long.' },
      {
        connection_id: b,
        at: ago(99),
        probe: 'pg_extension',
        database_name: 'x',
        skipped: { reason: 'No.', mend: null },
      },
      {
        connection_id: b,
        at: ago(99),
        probe: 'pg_stat_wal',
        skipped: { reason: 'Switched off.', mend: null, cause: 'disabled' },
      },
    );
    await reported(test.db, b, 'The server does not answer.');
    const answer = await estate(session);
    expect(Math.abs(Date.parse(answer.generated_at) - systemClock.now())).toBeLessThan(60_000);
    const common = { is_monitored: true, is_shared: false, may_manage: true, host: '127.0.0.1', port: 9 };
    expect(ownOf(answer)).toMatchObject([
      {
        ...common,
        connection_id: a,
        name: 'alpha',
        status: 'online',
        connection_error: null,
        version: '17.2',
        role: 'primary',
        last_sample_at: new Date(sampled).toISOString(),
        response_time_ms: 1.25,
        database_count: 3,
        size_bytes: 150,
        problem_count: 0,
      },
      {
        ...common,
        connection_id: b,
        status: 'warning',
        connection_error: 'The server does not answer.',
        role: 'standby',
        database_count: 1,
        size_bytes: null,
        problem_count: 2,
      },
      {
        ...common,
        connection_id: c,
        status: 'initialising',
        version: null,
        role: null,
        last_sample_at: null,
        response_time_ms: null,
        database_count: null,
        size_bytes: null,
        problem_count: 0,
      },
    ]);
    expect(await statementsOf(test.database, () => estate(session))).toEqual([
      'access.presented',
      'estate.visibility',
    ]);
  });

  it('shows an error only while the connection fails and is monitored', async () => {
    const { session, add } = await person();
    const id = await add('flaky');
    const error = async () => (await estate(session)).servers.find((one) => one.connection_id === id);
    await reported(test.db, id, 'Nothing listens there.');
    expect(await error()).toMatchObject({ connection_error: 'Nothing listens there.' });
    await reported(test.db, id, null);
    expect(await error()).toMatchObject({ connection_error: null });
    await reported(test.db, id, 'Nothing listens there.');
    await test.db.run(
      sql`/* test.off */ update matriarch.connections set is_monitored = false where id = ${id}`,
    );
    expect(await error()).toMatchObject({ connection_error: null, status: 'unknown' });
  });

  it('says since when a server fails, and not how it answered before', async () => {
    const { session, add } = await person();
    const id = await add('dying');
    const shown = async () => (await estate(session)).servers.find((one) => one.connection_id === id);
    await collected(test.db, { connection_id: id, ...ping(ago(1), 31) });
    expect(await shown()).toMatchObject({ status: 'online', response_time_ms: 31 });
    expect(await shown()).not.toHaveProperty('failing_since');
    await reported(test.db, id, 'Nothing listens there.');
    const first = await shown();
    expect(first).toMatchObject({ response_time_ms: null, failing_since: expect.any(String) });
    await reported(test.db, id, 'It does not answer.');
    expect(await shown()).toMatchObject({
      connection_error: 'It does not answer.',
      failing_since: first?.failing_since,
    });
    await reported(test.db, id, null);
    expect(await shown()).toMatchObject({ response_time_ms: 31 });
    expect(await shown()).not.toHaveProperty('failing_since');
    // Nobody reads it any more, and nothing failed.
    const old = await add('forgotten');
    await collected(test.db, { connection_id: old, ...ping(ago(76), 31) });
    const { servers } = await estate(session);
    expect(servers.find((one) => one.connection_id === old)).toMatchObject({ response_time_ms: null });
  });

  it('shows nobody more than they may see, and who may manage', async () => {
    const [mine, theirs] = [await person(), await person()];
    const [own, foreign] = [await mine.add('mine'), await theirs.add('private')];
    const shared = await makeConnection(test.db, {
      owner_id: theirs.user_id,
      name: 'shared',
      is_shared: true,
    });
    const deleted = await makeConnection(test.db, { owner_id: mine.user_id, deleted: true });
    const seen = async (token: string) =>
      new Map((await estate(token)).servers.map((one) => [one.connection_id, one.may_manage]));
    const visible = await seen(mine.session);
    expect(visible.get(own)).toBe(true);
    expect(visible.get(shared)).toBe(false);
    expect(visible.has(foreign)).toBe(false);
    expect(visible.has(deleted)).toBe(false);
    const all = await seen(test.actors.superuser.session);
    expect([all.get(own), all.get(foreign), all.get(shared), all.has(deleted)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const reading = { connections: [{ connection_id: own, level: 'read' as const }] };
    expect(await seen(await makeToken(test.db, mine.user_id, { scope: reading }))).toEqual(
      new Map([[own, false]]),
    );
    expect(await seen(await makeToken(test.db, mine.user_id, { scope: { connections: [] } }))).toEqual(
      new Map(),
    );
    expect((await test.call('GET /api/v1/estate')).status).toBe(401);
  });
});

describe('getConnectionCoverage', () => {
  const coverage = (id: number, token: string) =>
    test.call(`GET /api/v1/connections/${id}/coverage`, { token });

  it('in brief names what is fine once for each probe, and keeps all that is missing and all counts', async () => {
    const { session, add } = await person();
    const id = await add('brief');
    const of = { connection_id: id, at: ago(0) };
    const fine = ['a', 'b', 'c'].map((database_name) => ({
      ...{ ...of, probe: 'pg_extension', database_name, history_by: ['extname'] },
      rows: database_name === 'c' ? [{ extname: 'citext' }] : [],
    }));
    const lacking = ['d', 'e'].map((database_name) => ({
      ...{ ...of, probe: 'pg_extension', database_name },
      skipped: { reason: 'No grant.', mend: 'grant connect;', cause: 'missing_grant' as const },
    }));
    const none = ['f', 'g'].map((database_name) => ({
      ...{ ...of, probe: 'pg_extension', database_name },
      skipped: { reason: 'Not here.', mend: null, cause: 'not_applicable' as const },
    }));
    await collected(test.db, ...fine, ...lacking, ...none);
    const read = async (query: string) => {
      const { body } = await test.call(`GET /api/v1/connections/${id}/coverage${query}`, { token: session });
      const { probes, ...rest } = Object(body);
      const names = probes.flatMap(({ probe, database_name }: Record<string, string>) =>
        probe === 'pg_extension' ? [database_name] : [],
      );
      return { names, rest, size: probes.length };
    };
    const [all, brief] = [await read(''), await read('?brief=true')];
    expect(all.names).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(brief.names).toEqual(['a', 'c', 'd', 'e', 'f']);
    expect(brief.size).toBe(all.size - 2);
    expect(brief.rest).toEqual(all.rest);
  });

  it('says what became of each probe, and how to mend what is not collected', async () => {
    const { session, add } = await person();
    const id = await add('covered');
    const now = ago(0);
    type Cause = 'missing_grant' | 'missing_extension' | 'not_applicable';
    const skip = (database_name: string, mend: string | null, cause?: Cause) => ({
      connection_id: id,
      at: now,
      probe: 'pg_extension',
      database_name,
      skipped: { reason: `Because of ${database_name}.`, mend, ...(cause && { cause }) },
    });
    await collected(
      test.db,
      { connection_id: id, ...ping(now) },
      { connection_id: id, at: ago(901), ...databases(1) },
      { connection_id: id, at: now, took_ms: 7.5, probe: 'pg_settings', failed: 'It took too long.' },
      {
        connection_id: id,
        at: now,
        probe: 'pg_extension',
        database_name: 'a',
        rows: [],
        history_by: ['extname'],
      },
      skip('b', 'grant connect on database b to m;', 'missing_grant'),
      skip('c', 'create extension x;', 'missing_extension'),
      skip('d', null),
      skip('e', null, 'not_applicable'),
      {
        connection_id: id,
        at: now,
        probe: 'pg_stat_replication',
        rows: [],
        hidden: { cause: 'masked', note: 'Values are hidden.', mend: 'grant x to m;' },
      },
      {
        connection_id: id,
        at: now,
        probe: 'host',
        rows: [
          {
            kind: 'value',
            field: 'hostname',
            value: 'h',
            source: 'node_exporter',
            observed_at: '2026-01-01T00:00:00.000Z',
          },
          { kind: 'source', source: 'local', status: 'unavailable', reason: 'Elsewhere.', mend: null },
          { kind: 'source', source: 'node_exporter', status: 'ok', reason: null, mend: null },
        ],
      },
    );
    const answer = await coverage(id, session);
    const body: { probes: Record<string, unknown>[] } = JSON.parse(answer.text);
    const brief = body.probes.map(({ probe, database_name, status, mend }) => [
      probe,
      database_name,
      status,
      mend,
    ]);
    const named = brief.filter(([probe, , status]) => status !== 'waiting' || probe === 'pg_server_info');
    expect(named).toEqual([
      ['pg_connectivity', null, 'ok', null],
      ['pg_database', null, 'stale', null],
      ['pg_extension', 'a', 'ok', null],
      ['pg_extension', 'b', 'missing_grant', 'grant connect on database b to m;'],
      ['pg_extension', 'c', 'missing_extension', 'create extension x;'],
      ['pg_extension', 'd', 'skipped', null],
      ['pg_extension', 'e', 'not_applicable', null],
      ['pg_server_info', null, 'waiting', null],
      ['pg_settings', null, 'failing', null],
      ['pg_stat_replication', null, 'masked', 'grant x to m;'],
    ]);
    expect(body.probes.find(({ probe }) => probe === 'pg_settings')).toEqual({
      probe: 'pg_settings',
      checked_at: expect.any(String),
      database_name: null,
      status: 'failing',
      reason: 'It took too long.',
      mend: null,
      collected_at: null,
      took_ms: 7.5,
      row_count: null,
      interval_seconds: 3600,
      effective_interval_seconds: 3600,
      cost_percent: null,
    });
    expect(answer.body).toMatchObject({
      connection_id: id,
      own_cost: { cost_percent: null, sessions: null, measured_at: null },
      remedies: [
        { statement: 'grant connect on database b to m;', database_name: null, databases: ['b'], count: 1 },
        { statement: 'grant x to m;', status: 'masked', probes: ['pg_stat_replication'], databases: [] },
        { statement: 'create extension x;', database_name: 'c', probes: ['pg_extension'], count: 1 },
      ],
      host_sources: [
        { source: 'local', status: 'unavailable', reason: 'Elsewhere.', mend: null },
        { source: 'node_exporter', status: 'ok', reason: null, mend: null },
      ],
      host_values: [{ field: 'hostname', source: 'node_exporter', observed_at: '2026-01-01T00:00:00.000Z' }],
    });
    expect(await statementsOf(test.database, () => coverage(id, session))).toEqual(COVERAGE);
  });

  it('shows what collecting costs, and judges a slowed probe by the interval it has now', async () => {
    const { session, add } = await person();
    const id = await add('dear');
    await collected(test.db, { connection_id: id, at: ago(1500), ...databases(1) });
    const cost = (probe: string, percent: number, of: { note?: string; sessions?: number }) =>
      test.db.run(sql`/* test.cost */
        insert into matriarch.probe_costs (
          connection_id, probe, since, runs, total_ms, max_ms, rows, sessions, cost_percent, interval_seconds, note
        )
        values (${id}, ${probe}, now(), 1, 5, 5, 1, ${of.sessions ?? null}, ${percent}, 1200, ${of.note ?? null})`);
    await cost('pg_database', 0.25, { note: 'Slowed down.' });
    await cost('collector', 0.125, { sessions: 2 });
    const answer = await coverage(id, session);
    expect(answer.body).toMatchObject({
      own_cost: {
        cost_percent: 0.375,
        sessions: 2,
        measured_at: expect.stringMatching(/Z$/),
        statement_entries: null,
        statement_entries_limit: null,
      },
      probes: expect.arrayContaining([
        expect.objectContaining({
          probe: 'pg_database',
          status: 'ok',
          reason: 'Slowed down.',
          interval_seconds: 300,
          effective_interval_seconds: 1200,
          cost_percent: 0.25,
        }),
      ]),
    });
    expect(await statementsOf(test.database, () => coverage(id, session))).toEqual(COVERAGE);
  });

  it('tells the newest gap of the connection itself, and none when there is none', async () => {
    const { session, add } = await person();
    const [id, other] = [await add('gaps'), await add('whole')];
    await test.db.run(sql`/* test.gaps */
      insert into metrics.known_gaps (connection_id, began_at, ended_at, reason)
      values
        (${id}, '2026-01-01 10:00Z', '2026-01-01 11:00Z', 'full'),
        (${id}, '2026-01-02 10:00Z', '2026-01-02 10:05Z', 'disk')`);
    expect((await coverage(id, session)).body).toMatchObject({
      newest_gap: {
        began_at: '2026-01-02T10:00:00.000Z',
        ended_at: '2026-01-02T10:05:00.000Z',
        reason: 'The disk of the spool was full.',
      },
    });
    expect((await coverage(other, session)).body).toMatchObject({ newest_gap: null });
  });

  it('is waiting everywhere before the first sample, and says when monitoring is off', async () => {
    const { session, user_id, add } = await person();
    const fresh = await coverage(await add('fresh'), session);
    expect(fresh.body).toMatchObject({
      log: { state: 'never', mend: expect.stringContaining('matriarch_logs') },
    });
    expect(fresh.body).toMatchObject({ host_sources: [], host_values: [] });
    expect(fresh.text).toContain('Not collected yet.');
    const off = await coverage(await makeConnection(test.db, { owner_id: user_id }), session);
    expect(off.text).toContain('switched off');
  });

  it('answers 404 for an unknown connection and 403 for one of somebody else', async () => {
    const [mine, theirs] = [await person(), await person()];
    const foreign = await theirs.add('private');
    expect((await coverage(2_147_483_647, mine.session)).status).toBe(404);
    expect((await coverage(foreign, mine.session)).status).toBe(403);
    expect((await test.call('GET /api/v1/connections/0x1/coverage', { token: mine.session })).status).toBe(
      400,
    );
  });
});
