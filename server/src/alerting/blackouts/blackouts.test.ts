// Blackouts through HTTP: what they are for, when they are in force, what of one can still be changed, and who sees it.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clustersRoutes } from '../../estate/clusters/clusters.routes.ts';
import { auditRoutes } from '../../identity/audit/audit.routes.ts';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { blackoutsRoutes } from './blackouts.routes.ts';

const START = Date.parse('2126-11-22T12:00:00Z');
const clock = manualClock(START);

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({
    rooms: [auditRoutes, blackoutsRoutes, clustersRoutes, connectionsRoom],
    clock,
  });
});
afterAll(() => test.close());
beforeEach(() => test.db.run(sql`/* test.clear */ delete from matriarch.blackouts`));

const at = (minutes: number) => new Date(clock.now() + minutes * MINUTE_MS).toISOString();
/** Sessions end by the clock of the API, which stands in another century. */
const asSuperuser = () => ({ token });
let token: string;
beforeAll(async () => {
  await test.db.run(sql`/* test.sessions */ update matriarch.sessions set expires_at = '2200-01-01Z'`);
  token = test.actors.superuser.session;
});

const call = (request: string, body?: object) =>
  test.call(request, { ...asSuperuser(), ...(body && { body }) });
const create = (body: object) => call('POST /api/v1/blackouts', body);
const window = (from: number, to: number) => ({ start_time: at(from), end_time: at(to) });
const idOf = (body: unknown): number => Number(Object(body).id);

async function made(body: object): Promise<number> {
  const answer = await create({ scope: 'estate', ...window(-10, 50), ...body });
  expect(answer.error).toBeUndefined();
  expect(answer.status).toBe(201);
  return idOf(answer.body);
}

async function ids(query: string): Promise<number[]> {
  const { body } = await call(`GET /api/v1/blackouts?${query}`);
  return Object(body).blackouts.map(idOf);
}

async function place(): Promise<{ server: number; cluster: number; group: number }> {
  const { group } = await test.db.one<{ group: number }>(sql`/* test.group */
    insert into matriarch.cluster_groups (name, owner_id)
    values ('group ' || gen_random_uuid(), ${test.actors.owner.user_id}) returning id as group`);
  const { cluster } = await test.db.one<{ cluster: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (group_id, name) values (${group}, 'cluster ' || gen_random_uuid())
    returning id as cluster`);
  const server = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  await test.db.run(
    sql`/* test.join */ update matriarch.connections set cluster_id = ${cluster} where id = ${server}`,
  );
  return { server, cluster, group };
}

describe('createBlackout', () => {
  it('makes one for the estate and for each part of it, by name', async () => {
    const { server, cluster, group } = await place();
    const reason = 'Moving.';
    const estate = await create({ scope: 'estate', reason, ...window(0, 60) });
    expect(estate.body).toEqual({
      id: expect.any(Number),
      scope: 'estate',
      reason,
      ...window(0, 60),
      created_by: test.actors.superuser.username,
      created_at: at(0),
      is_active: true,
    });
    const parts = [
      { scope: 'group', group_id: group },
      { scope: 'cluster', cluster_id: cluster },
      { scope: 'server', connection_id: server },
      { scope: 'server', connection_id: server, database_name: 'orders' },
    ];
    for (const part of parts) {
      const answer = await create({ ...part, ...window(10, 60) });
      expect(answer.status, answer.text).toBe(201);
      expect(answer.body).toMatchObject({
        ...part,
        reason: '',
        is_active: false,
        target_name: expect.any(String),
      });
    }
  });

  it.each([
    [{ scope: 'estate', connection_id: 1 }, /everything: connection_id must be absent/],
    [{ scope: 'server' }, /connection_id must be given/],
    [{ scope: 'server', connection_id: 1, group_id: 1 }, /only connection_id is given, not group_id/],
    [{ scope: 'cluster', connection_id: 1 }, /only cluster_id is given, not connection_id/],
    [
      { scope: 'group', group_id: 1, database_name: 'x' },
      /database_name can only be given with scope server/,
    ],
    [{ scope: 'estate', database_name: 'x' }, /database_name can only/],
    [{ scope: 'database', connection_id: 1 }, /scope/],
    [{ scope: 'estate', ...window(10, 10) }, /end_time must be after start_time/],
    [{ scope: 'estate', ...window(-20, -10) }, /end_time must be in the future/],
    [{ scope: 'estate', ...window(-20, 0) }, /end_time must be in the future/],
    [{ scope: 'estate', start_time: 'now' }, /start_time/],
    [{ scope: 'estate', reason: 'x'.repeat(4001) }, /reason/],
  ])('refuses %j', async (body, words) => {
    const answer = await create({ ...window(0, 60), ...body });
    expect([answer.status, answer.error]).toEqual([400, expect.stringMatching(words)]);
  });

  it('takes empty text as not set, and times of any offset', async () => {
    const { server } = await place();
    const body = { scope: 'server', connection_id: server, database_name: '', reason: '' };
    const answer = await create({ ...body, start_time: '2126-11-22T13:30:00+05:30', end_time: at(60) });
    expect(answer.body).toMatchObject({ start_time: '2126-11-22T08:00:00.000Z', reason: '' });
    expect(answer.body).not.toHaveProperty('database_name');
  });

  it('refuses what it would be for when that has gone', async () => {
    const gone = 1_999_999_999;
    for (const part of [
      { scope: 'server', connection_id: gone },
      { scope: 'cluster', cluster_id: gone },
      { scope: 'group', group_id: gone },
    ])
      expect((await create({ ...part, ...window(0, 60) })).status).toBe(404);
  });
});

describe('a blackout', () => {
  it('is in force from its start until before its end', async () => {
    const id = await made(window(1, 2));
    const isActive = async () => Object((await call(`GET /api/v1/blackouts/${id}`)).body).is_active;
    expect(await isActive()).toBe(false);
    clock.advance(MINUTE_MS);
    expect(await isActive()).toBe(true);
    expect(await ids('active=true')).toEqual([id]);
    clock.advance(MINUTE_MS - 1);
    expect(await isActive()).toBe(true);
    clock.advance(1);
    expect(await isActive()).toBe(false);
    expect(await ids('active=false')).toEqual([id]);
    expect(await ids('active=true')).toEqual([]);
  });

  it('can be extended, shortened and explained while it runs', async () => {
    const id = await made({});
    const longer = await call(`PUT /api/v1/blackouts/${id}`, { end_time: at(90) });
    expect(longer.body).toMatchObject({ end_time: at(90), is_active: true });
    const told = await call(`PUT /api/v1/blackouts/${id}`, { reason: 'Takes longer.', end_time: at(5) });
    expect(told.body).toMatchObject({ end_time: at(5), reason: 'Takes longer.' });
    const cleared = await call(`PUT /api/v1/blackouts/${id}`, { reason: '' });
    expect(cleared.body).toMatchObject({ end_time: at(5), reason: '' });
  });

  it.each([
    [{}, 400, /at least one/],
    [{ reason: null }, 400, /at least one/],
    [{ end_time: -10 }, 400, /after start_time/],
    [{ end_time: -5 }, 400, /in the future; stop/],
    [{ end_time: 0 }, 400, /in the future/],
  ])('that runs is not changed by %j', async (body, status, words) => {
    const id = await made({});
    const change = 'end_time' in body ? { end_time: at(body.end_time) } : body;
    const answer = await call(`PUT /api/v1/blackouts/${id}`, change);
    expect([answer.status, answer.error]).toEqual([status, expect.stringMatching(words)]);
  });

  it('that is over keeps its end, and takes another reason', async () => {
    const id = await made(window(-1, 1));
    const end_time = at(1);
    clock.advance(2 * MINUTE_MS);
    const put = (body: object) => call(`PUT /api/v1/blackouts/${id}`, body);
    expect([(await put({ end_time: at(10) })).status, (await put({ end_time: at(-1.5) })).status]).toEqual([
      409, 400,
    ]);
    const told = await put({ reason: 'What it was.', end_time });
    expect(told.body).toMatchObject({ reason: 'What it was.', end_time });
  });

  it('is stopped while it runs, and neither before nor after', async () => {
    const coming = await made(window(10, 20));
    const early = await call(`POST /api/v1/blackouts/${coming}/stop`);
    expect([early.status, early.error]).toEqual([409, expect.stringMatching(/has not started; delete it/)]);
    const id = await made({});
    const stopped = await call(`POST /api/v1/blackouts/${id}/stop`);
    expect(stopped.body).toMatchObject({ end_time: at(0), is_active: false });
    const again = await call(`POST /api/v1/blackouts/${id}/stop`);
    expect([again.status, again.error]).toEqual([409, expect.stringMatching(/already over/)]);
  });

  it('is deleted', async () => {
    const id = await made({});
    expect((await call(`DELETE /api/v1/blackouts/${id}`)).body).toEqual({ status: 'deleted' });
    expect((await call(`DELETE /api/v1/blackouts/${id}`)).status).toBe(404);
  });
});

describe('listBlackouts', () => {
  it('is newest first, counted before it is cut', async () => {
    const first = await made(window(-30, 10));
    const [second, third] = [await made(window(-20, 10)), await made(window(-20, 10))];
    expect(await ids('')).toEqual([third, second, first]);
    expect((await call('GET /api/v1/blackouts?limit=1&offset=1')).body).toMatchObject({
      blackouts: [{ id: second }],
      total_count: 3,
    });
    expect((await call('GET /api/v1/blackouts?limit=1001')).status).toBe(400);
  });

  it('is narrowed to a part, to what holds for a server, and to a window', async () => {
    const { server, cluster, group } = await place();
    const other = await place();
    const estate = await made(window(-60, 60));
    const ofGroup = await made({ scope: 'group', group_id: group, ...window(-50, 60) });
    const ofCluster = await made({ scope: 'cluster', cluster_id: cluster, ...window(-40, 60) });
    const ofServer = await made({ scope: 'server', connection_id: server, ...window(-30, 60) });
    const elsewhere = await made({ scope: 'cluster', cluster_id: other.cluster, ...window(30, 60) });
    expect(await ids('scope=group')).toEqual([ofGroup]);
    expect(await ids(`group_id=${group}`)).toEqual([ofGroup]);
    expect(await ids(`cluster_id=${cluster}`)).toEqual([ofCluster]);
    expect(await ids(`connection_id=${server}`)).toEqual([ofServer]);
    expect(await ids(`connection_id=${server}&scope=group`)).toEqual([]);
    expect(await ids(`covers_connection_id=${server}`)).toEqual([ofServer, ofCluster, ofGroup, estate]);
    expect(await ids(`covers_connection_id=${other.server}`)).toEqual([elsewhere, estate]);
    expect(await ids(`covers_connection_ids=${server}`)).toEqual([ofServer, ofCluster, ofGroup, estate]);
    expect(await ids(`covers_connection_ids=${other.server},${server}`)).toEqual([
      elsewhere,
      ofServer,
      ofCluster,
      ofGroup,
      estate,
    ]);
    for (const odd of ['0', '2147483648', Array.from({ length: 1001 }, (_, n) => n + 1).join(',')])
      expect((await call(`GET /api/v1/blackouts?covers_connection_ids=${odd}`)).status).toBe(400);
    expect(await ids(`start_time=${at(60)}`)).toEqual([]);
    expect(await ids(`end_time=${at(-40)}`)).toEqual([ofGroup, estate]);
    expect(await ids(`start_time=${at(0)}&active=false`)).toEqual([elsewhere]);
  });

  it('shows the estate to all, and a part to who sees it', async () => {
    const { server, cluster, group } = await place();
    const estate = await made(window(-60, 60));
    const hidden = [
      await made({ scope: 'group', group_id: group }),
      await made({ scope: 'cluster', cluster_id: cluster }),
      await made({ scope: 'server', connection_id: server }),
    ];
    const seenBy = async (session: string) => {
      const answer = await test.call('GET /api/v1/blackouts', { token: session });
      return [Object(answer.body).total_count, ...Object(answer.body).blackouts.map(idOf)];
    };
    expect(await seenBy(test.actors.other.session)).toEqual([1, estate]);
    expect(await seenBy(test.actors.owner.session)).toEqual([4, ...hidden.toReversed(), estate]);
    for (const name of ['connection_id', 'covers_connection_id', 'covers_connection_ids']) {
      const named = await test.call(`GET /api/v1/blackouts?${name}=${server}`, {
        token: test.actors.other.session,
      });
      expect(named.status).toBe(403);
      expect((await call(`GET /api/v1/blackouts?${name}=1999999999`)).status).toBe(403);
    }
  });
});

describe('deleting', () => {
  it.each([
    ['server', 'connection_id', 'connections'],
    ['cluster', 'cluster_id', 'clusters'],
    ['group', 'group_id', 'cluster-groups'],
  ] as const)('a %s takes its blackouts and schedules along, and no others', async (scope, member, path) => {
    const [gone, left] = [await place(), await place()];
    const times = { name: 'Nightly', cron_expression: '0 2 * * *', duration_minutes: 60 };
    for (const target of [gone, left]) {
      await made({ scope, [member]: target[scope] });
      await call('POST /api/v1/blackout-schedules', { scope, [member]: target[scope], ...times });
    }
    expect((await call(`DELETE /api/v1/${path}/${gone[scope]}`)).error).toBeUndefined();
    const rest = await test.db.rows(sql`/* test.left */
      select scope, scope_id from matriarch.blackouts
      union all
      select scope, scope_id from matriarch.blackout_schedules`);
    const one = { scope, scope_id: left[scope] };
    expect(rest).toEqual([one, one]);
    await test.db.run(sql`/* test.clear */ delete from matriarch.blackout_schedules`);
  });
});

it('every change is in the audit log, and hidden from who cannot see what it was for', async () => {
  const { server } = await place();
  const id = await made({ scope: 'server', connection_id: server });
  await call(`PUT /api/v1/blackouts/${id}`, { end_time: at(90) });
  await call(`PUT /api/v1/blackouts/${id}`, { end_time: at(90) });
  await call(`POST /api/v1/blackouts/${id}/stop`);
  await call(`DELETE /api/v1/blackouts/${id}`);
  const rows = await test.db.rows<{ action: string; details: object }>(sql`/* test.audit */
    select action, details from matriarch.audit_events
    where target_kind = 'blackout' and target_id = ${String(id)} order by id`);
  expect(rows.map(({ action }) => action)).toEqual([
    'blackout.create',
    'blackout.change',
    'blackout.stop',
    'blackout.delete',
  ]);
  expect(rows[1]?.details).toMatchObject({
    scope: 'server',
    scope_id: server,
    end_time: at(90),
    before: { end_time: at(50) },
  });
  const { user_id, session } = test.actors.other;
  await test.db.run(sql`/* test.auditor */
    with g as (insert into matriarch.groups (name) values ('auditors') returning id),
    member as (insert into matriarch.group_users (group_id, user_id) select g.id, ${user_id} from g)
    insert into matriarch.group_permissions (group_id, permission) select g.id, 'view_audit' from g`);
  const seen = await test.call('GET /api/v1/audit?action=blackout.create&limit=1000', { token: session });
  const events: { hidden: boolean; details: { scope_id?: number } }[] = Object(seen.body).events;
  expect(events.length).toBeGreaterThan(0);
  expect(events.filter(({ details }) => details.scope_id === server)).toEqual([]);
  expect(events.some(({ hidden }) => hidden)).toBe(true);
});
