// S12, S21: who may read the audit log learns of connections, clusters and groups that they cannot see only that
// somebody did something at a time. The same acts are done to things that the readers cannot see and to some that they can.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clustersRoutes } from '../../estate/clusters/clusters.routes.ts';
import { probeConfigsRoutes } from '../../estate/probe-configs/probe-configs.routes.ts';
import { sql } from '../../kernel/sql.ts';
import { type Actor, makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { rbacRoom } from '../../testing/rooms/rbac.ts';
import { serverInfoRoom } from '../../testing/rooms/server-info.ts';
import { auditRoutes } from './audit.routes.ts';

interface Event extends Record<string, unknown> {
  id: number;
  hidden: boolean;
  target_id: string | null;
  target_kind: string | null;
}
interface Listed {
  events: Event[];
  total_count: number;
}
interface Others {
  rbacGroup: number;
  token: number;
}
interface Made {
  connections: number[];
  cluster: number;
  group: number;
  first_row: number;
  last_row: number;
}

let test: TestApi;
let maker: Actor;
let unseen: Made;
let seen: Made;
const readers: Record<string, string> = {};

function isListed(body: unknown): body is Listed {
  return typeof body === 'object' && body !== null && 'events' in body && Array.isArray(body.events);
}

async function list(token: string, query = 'limit=1000'): Promise<Listed> {
  const { status, body, error } = await test.call(`GET /api/v1/audit?${query}`, { token });
  expect([status, error]).toEqual([200, undefined]);
  return isListed(body) ? body : expect.fail('no list of events');
}

async function act(request: string, body?: object): Promise<number> {
  const answer = await test.call(request, { token: maker.session, ...(body && { body }) });
  expect([request, answer.status < 300, answer.error]).toEqual([request, true, undefined]);
  return Number(Object(answer.body).id);
}

const lastRow = async () => {
  await test.refusals.flush();
  return (await list(test.actors.superuser.session, 'limit=1')).events[0]?.id ?? 0;
};

/** Everything that names a connection, cluster or group in the log, done to new ones with that word in their names. */
async function actsOn(word: string, { rbacGroup, token }: Others): Promise<Made> {
  const first_row = (await lastRow()) + 1;
  // Somebody else each time: refusals of one caller that repeat within a minute are one row.
  const caller = (await makeUser(test.db)).session;
  const where = {
    host: '127.0.0.1',
    port: 9,
    database_name: word,
    username: 'app',
    password: 'not a canary',
  };
  const one = await act('POST /api/v1/connections', { ...where, name: `${word} one` });
  const two = await act('POST /api/v1/connections', { ...where, name: `${word} two` });
  await act(`PUT /api/v1/connections/${one}`, { description: word });
  await act('POST /api/v1/connections/test', { id: one });
  const group = await act('POST /api/v1/cluster-groups', {
    name: `${word} group`,
    is_shared: word === 'seen',
  });
  const cluster = await act('POST /api/v1/clusters', { name: `${word} cluster`, group_id: group });
  await act(`PUT /api/v1/clusters/${cluster}`, { description: word });
  for (const connection_id of [one, two])
    await act(`POST /api/v1/clusters/${cluster}/servers`, { connection_id });
  await act(`PUT /api/v1/clusters/${cluster}/connections/${one}/relationships`, {
    relationships: [{ target_connection_id: two, relationship_type: 'streams_from' }],
  });
  const values = { is_enabled: true, collection_interval_seconds: 60, retention_days: 7 };
  for (const scope of [`server/${one}`, `cluster/${cluster}`, `group/${group}`])
    await act(`PUT /api/v1/probe-overrides/${scope}/pg_settings`, values);
  const grants = `/api/v1/rbac/groups/${rbacGroup}/privileges/connections`;
  await act(`POST ${grants}`, { connection_id: one, access_level: 'read' });
  await act(`PUT ${grants}`, { connections: [{ connection_id: two, access_level: 'read' }] });
  await act(`DELETE ${grants}/${two}`);
  const scope = { connections: [{ connection_id: one, access_level: 'read' }] };
  await act(`PUT /api/v1/rbac/tokens/${token}/scope`, scope);
  await act(`DELETE /api/v1/rbac/tokens/${token}/scope`);
  for (const path of [
    `connections/${one}`,
    `server-info/${one}`,
    `clusters/${cluster}/connections/${one}/relationships`,
  ])
    await test.call(`${path.startsWith('clusters') ? 'DELETE' : 'GET'} /api/v1/${path}`, { token: caller });
  return { connections: [one, two], cluster, group, first_row, last_row: await lastRow() };
}

beforeAll(async () => {
  test = await startTestApi({
    rooms: [auditRoutes, clustersRoutes, connectionsRoom, probeConfigsRoutes, rbacRoom, serverInfoRoom],
  });
  const { db } = test;
  maker = await makeUser(db, { is_superuser: true });
  const others = {
    rbacGroup: await makeGroup(db),
    token: await act('POST /api/v1/rbac/tokens', {
      ...{ annotation: 'for jobs', owner_username: maker.username, expires_in: '30d' },
    }),
  };
  unseen = await actsOn('canary', others);
  seen = await actsOn('seen', others);
  const [one = 0, two = 0] = seen.connections;
  const both = { [one]: 'read', [two]: 'read' } as const;
  const auditor = async (permissions: string[], connections: Record<number, 'read'>) => {
    const user = await makeUser(db);
    await makeGroup(db, { users: [user.user_id], permissions, connections });
    return user;
  };
  const { superuser } = test.actors;
  const scope = {
    connections: seen.connections.map((id) => ({ connection_id: id, level: 'read' as const })),
  };
  readers.granted = (await auditor(['view_audit'], both)).session;
  readers['token of a superuser'] = await makeToken(db, superuser.user_id, {
    scope: { ...scope, admin: ['view_audit'] },
  });
  readers['token with everything but connections'] = await makeToken(db, superuser.user_id, { scope });
  const reachesAll = await auditor(['view_audit'], { 0: 'read' });
  readers['token of who reaches all'] = await makeToken(db, reachesAll.user_id, { scope });
});
afterAll(() => test.close());

describe.each(['granted', 'token of a superuser', 'token of who reaches all'])('read by: %s', (name) => {
  const reader = () => readers[name] ?? expect.fail(name);
  const within =
    ({ first_row, last_row }: Made) =>
    ({ id }: Event) =>
      id >= first_row && id <= last_row;

  it('rows of what cannot be seen keep who, what and when, and nothing else', async () => {
    const all = await list(test.actors.superuser.session);
    const mine = await list(reader());
    expect(mine.total_count).toBe(all.total_count);
    const hidden = mine.events.filter(within(unseen));
    expect(hidden.length).toBeGreaterThan(20);
    expect(hidden).toEqual(
      all.events.filter(within(unseen)).map(({ id, at, actor_id, actor_name, action }) => ({
        ...{ id, at, actor_id, actor_name, action, hidden: true, details: {} },
        ...{ via: null, via_id: null, address: null, request_id: null, outcome: null },
        ...{ target_kind: null, target_id: null, target_name: null, occurrences: null, hash: null },
      })),
    );
    expect(JSON.stringify(mine)).not.toContain('canary');
  });

  it('rows of what can be seen are whole', async () => {
    const all = await list(test.actors.superuser.session);
    const mine = await list(reader());
    expect(mine.events.filter(within(seen))).toEqual(all.events.filter(within(seen)));
  });

  it('no filter and no page finds what is hidden', async () => {
    const all = await list(test.actors.superuser.session);
    const targets = all.events.filter(within(unseen)).map(({ target_kind, target_id, action }) => ({
      target_kind,
      target_id,
      action,
    }));
    for (const { target_kind, target_id, action } of targets) {
      const kinds = target_kind === null ? [] : [`target_kind=${target_kind}`];
      const query = [...kinds, `target_id=${target_id}`, `action=${action}`].join('&');
      const { events, total_count } = await list(reader(), `${query}&limit=1000`);
      expect([query, events.filter(within(unseen)), total_count]).toEqual([query, [], events.length]);
    }
    const shown = (await list(reader())).events.filter(({ hidden }) => !hidden);
    for (const outcome of ['ok', 'refused', 'failed']) {
      const wanted = shown.filter((event) => event.outcome === outcome);
      const paged: Event[] = [];
      for (let offset = 0; ; offset += 7) {
        const page = await list(reader(), `outcome=${outcome}&limit=7&offset=${offset}`);
        expect(page.total_count).toBe(wanted.length);
        paged.push(...page.events);
        if (page.events.length < 7) break;
      }
      expect(paged).toEqual(wanted);
    }
  });
});

it('what was deleted since shows to whoever reaches every connection, and to nobody else', async () => {
  const id = await act('POST /api/v1/connections', {
    ...{
      name: 'gone',
      host: '127.0.0.1',
      port: 9,
      database_name: 'postgres',
      username: 'app',
      password: 'x',
    },
  });
  await act(`DELETE /api/v1/connections/${id}`);
  const user = await makeUser(test.db);
  await makeGroup(test.db, {
    users: [user.user_id],
    permissions: ['view_audit'],
    connections: { 0: 'read' },
  });
  const query = `target_kind=connection&target_id=${id}`;
  expect((await list(user.session, query)).total_count).toBe(2);
  expect((await list(readers.granted ?? '', query)).total_count).toBe(0);
});

it('a token with all permissions but few connections is a reader like any other', async () => {
  const { events } = await list(readers['token with everything but connections'] ?? '');
  expect(JSON.stringify(events)).not.toMatch(/canary (one|two|cluster)/);
});

it('is hidden where the log names something by a way that is not known here', async () => {
  await test.db.run(sql`/* test.unknown */
    insert into matriarch.audit_events (at, action, outcome, target_kind, target_id, details)
    values (now(), 'access.check', 'refused', 'operation', 'x', '{"path": "/api/v1/alerts/31/canary"}'),
      (now(), 'settings.change', 'ok', 'ledger', '3', '{"name": "canary"}')`);
  expect(JSON.stringify((await list(readers.granted ?? '', 'limit=2')).events)).not.toContain('canary');
  expect(JSON.stringify((await list(test.actors.superuser.session, 'limit=2')).events)).toContain('canary');
});
