// The timeline over HTTP, of facts that the test has stored and therefore knows: what makes an event and what does not,
// ids, order, limits and counts, what is refused, who sees what, and how many statements it takes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import type { Row } from '../../store/layout/types.ts';
import { makeSession, makeToken } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { run, type Storing, storing, T0 } from '../../testing/store/storing.ts';
import type { TimelineResult } from './timeline.contract.ts';
import { timelineRoutes } from './timeline.routes.ts';

type Result = Static<typeof TimelineResult>;

let store: Storing;
let api: TestApi;
let token: string;
beforeAll(async () => {
  store = await storing();
  // Those of the store are numbered from 1.
  for (const table of ['users', 'connections'])
    await store.db.run({
      text: "select setval(pg_get_serial_sequence('matriarch.' || $1, 'id'), 1000)",
      values: [table],
    });
  api = await startTestApi({ rooms: [timelineRoutes], database: store });
  token = await makeSession(store.db, 1);
});
afterAll(() => api.close());

interface Look {
  connection_id: number;
  probe: string;
  /** What tells items apart; absent: the newest rows are kept as they are. */
  keys?: readonly string[];
  database_name?: string;
}

/** What a look at a server found, at this second after T0. */
async function found(look: Look, second: number, rows: Row[]): Promise<void> {
  const at = second * 1000;
  const outcome = { kind: 'ran', collected_at: T0 + at, rows, history_by: look.keys } as const;
  const { probe, database_name = '' } = look;
  await store.write({ ...run(look.connection_id, at, outcome), probe, database_name });
}

const time = (second: number) => new Date(T0 + second * 1000).toISOString();
const windowed = (from: number, to: number) => `start_time=${time(from)}&end_time=${time(to)}`;
const call = (query: string, as = token) => api.call(`GET /api/v1/timeline/events?${query}`, { token: as });

async function events(query: string, as = token): Promise<Result> {
  const { status, text } = await call(query, as);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  const result: Result = JSON.parse(text);
  return result;
}

const settings = (connection_id: number): Look => ({ connection_id, probe: 'pg_settings', keys: ['name'] });
const setting = (name: string, value: string, more: Row = {}): Row => ({
  name,
  setting: value,
  unit: null,
  sourceline: 1,
  ...more,
});

describe('what makes an event', () => {
  it('settings: one event a look, with what each was; where it stands in a file is no change', async () => {
    const id = await store.leased();
    const kB = { unit: 'kB' };
    await found(settings(id), 0, [setting('work_mem', '4096', kB), setting('jit', 'on')]);
    await found(settings(id), 10, [setting('work_mem', '7168', kB), setting('jit', 'on')]);
    await found(settings(id), 20, [
      setting('work_mem', '7168', { ...kB, sourceline: 9 }),
      setting('jit', 'on'),
    ]);
    await found(settings(id), 30, [setting('work_mem', '4096', kB), setting('a.b', '1')]);
    const { events: all, total_count } = await events(`${windowed(0, 99)}&connection_id=${id}`);
    expect(total_count).toBe(2);
    expect(all).toEqual([
      {
        id: `config-${id}-${time(30)}`,
        event_type: 'config_change',
        connection_id: id,
        server_name: `c${id}`,
        occurred_at: time(30),
        severity: 'info',
        title: '3 settings changed',
        summary: `a.b, jit and work_mem changed on c${id}.`,
        details: {
          change_count: 3,
          changes: [
            { name: 'a.b', old_value: null, new_value: '1', change_type: 'added' },
            { name: 'jit', old_value: 'on', new_value: null, change_type: 'removed' },
            { name: 'work_mem', old_value: '7168', new_value: '4096', change_type: 'modified' },
          ],
        },
      },
      expect.objectContaining({
        id: `config-${id}-${time(10)}`,
        title: 'Setting work_mem modified',
        summary: `work_mem went from 4096 kB to 7168 kB on c${id}.`,
      }),
    ]);
    // A window that begins after the first look has the first change in it, and the removal.
    expect((await events(`${windowed(5, 30)}&connection_id=${id}`)).total_count).toBe(2);
    expect((await events(`${windowed(11, 29)}&connection_id=${id}`)).events).toEqual([]);
  });

  it('rules of pg_hba.conf with what they were, also where only an option changed', async () => {
    const id = await store.leased();
    const look = { connection_id: id, probe: 'pg_hba_file_rules', keys: ['rule_number', 'error'] };
    const local = {
      rule_number: 1,
      line_number: 90,
      type: 'local',
      database: ['all'],
      user_name: ['all'],
      address: null,
      netmask: null,
      auth_method: 'peer',
      options: null,
      error: null,
    };
    const host = {
      ...local,
      rule_number: 2,
      type: 'host',
      database: ['a', 'b'],
      address: '10.0.0.0',
      netmask: '255.0.0.0',
      auth_method: 'md5',
    };
    await found(look, 0, [local]);
    await found(look, 10, [local, host]);
    await found(look, 20, [
      { ...local, line_number: 91 },
      { ...host, auth_method: 'scram-sha-256' },
    ]);
    await found(look, 30, [
      local,
      { ...host, auth_method: 'scram-sha-256', options: ['clientcert=verify-ca'] },
    ]);
    await found(look, 40, [local]);
    const { events: all } = await events(`${windowed(0, 99)}&connection_id=${id}&event_types=hba_change`);
    const was = {
      prev_type: null,
      prev_database: null,
      prev_user_name: null,
      prev_address: null,
      prev_auth_method: null,
    };
    const rule = { rule_number: 2, type: 'host', database: 'a,b', user_name: 'all', address: '10.0.0.0/8' };
    expect(all.map(({ details }) => details)).toEqual([
      {
        change_count: 1,
        changes: [{ ...rule, auth_method: 'scram-sha-256', ...was, change_type: 'removed' }],
      },
      {
        change_count: 1,
        changes: [
          {
            ...rule,
            auth_method: 'scram-sha-256',
            prev_type: 'host',
            prev_database: 'a,b',
            prev_user_name: 'all',
            prev_address: '10.0.0.0/8',
            prev_auth_method: 'scram-sha-256',
            change_type: 'modified',
          },
        ],
      },
      {
        change_count: 1,
        changes: [expect.objectContaining({ prev_auth_method: 'md5', auth_method: 'scram-sha-256' })],
      },
      { change_count: 1, changes: [{ ...rule, auth_method: 'md5', ...was, change_type: 'added' }] },
    ]);
    expect(all.map(({ summary }) => summary)).toEqual([
      `Removed from pg_hba.conf of c${id}: host a,b all 10.0.0.0/8 scram-sha-256 clientcert=verify-ca.`,
      `Modified in pg_hba.conf of c${id}: host a,b all 10.0.0.0/8 scram-sha-256 clientcert=verify-ca.`,
      `Modified in pg_hba.conf of c${id}: host a,b all 10.0.0.0/8 scram-sha-256.`,
      `Added to pg_hba.conf of c${id}: host a,b all 10.0.0.0/8 md5.`,
    ]);
  });

  it('mappings of pg_ident.conf, the first one after an empty file too', async () => {
    const id = await store.leased();
    const look = { connection_id: id, probe: 'pg_ident_file_mappings', keys: ['map_number', 'error'] };
    const mapping = { map_number: 1, map_name: 'm', sys_name: 'ada', pg_username: 'orders', error: null };
    await found(look, 0, []);
    await found(look, 10, [mapping]);
    await found(look, 20, []);
    const { events: all } = await events(`${windowed(0, 99)}&connection_id=${id}`);
    const { error: _error, ...told } = mapping;
    expect(all).toMatchObject([
      {
        event_type: 'ident_change',
        details: { mapping_count: 1, mappings: [{ ...told, change_type: 'removed' }] },
      },
      {
        id: `ident-${id}-${time(10)}`,
        summary: `The mapping of ada to orders in m was added on c${id}.`,
        details: { mapping_count: 1, mappings: [{ ...told, change_type: 'added' }] },
      },
    ]);
  });

  it('a start of the server, with the role where it was read since', async () => {
    const id = await store.leased();
    const look = { connection_id: id, probe: 'pg_server_info', keys: [] };
    const info = (started: string, more: Row = {}) => [
      { postmaster_start_time: started, is_in_recovery: false, max_connections: 100, ...more },
    ];
    const starts = ['2025-12-01T00:00:00.1Z', '2025-12-02T00:00:00.2Z', '2025-12-03T00:00:00.3Z'];
    const [first = '', second = '', third = ''] = starts;
    await found(look, 0, info(first));
    await found(look, 10, info(first, { max_connections: 50 }));
    await found(look, 20, info(second, { is_in_recovery: true }));
    await found(look, 30, info(third));
    await found({ connection_id: id, probe: 'pg_node_role' }, 31, [
      { primary_role: 'binary_primary', postmaster_start_time: third },
    ]);
    const { events: all } = await events(`${windowed(0, 99)}&connection_id=${id}`);
    expect(all).toMatchObject([
      {
        id: `restart-${id}-${time(30)}`,
        event_type: 'restart',
        severity: 'warning',
        title: 'Server restarted',
        details: {
          previous_start_time: second,
          new_start_time: third,
          is_in_recovery: false,
          primary_role: 'binary_primary',
        },
      },
      {
        details: {
          previous_start_time: first,
          new_start_time: second,
          is_in_recovery: true,
          primary_role: null,
        },
      },
    ]);
    expect(all).toHaveLength(2);
  });

  it('extensions of each database', async () => {
    const id = await store.leased();
    const look = (database_name: string) => ({
      connection_id: id,
      probe: 'pg_extension',
      keys: ['extname'],
      database_name,
    });
    const extension = (extname: string, extversion: string) => ({
      extname,
      extversion,
      schema_name: 'public',
    });
    await found(look('a'), 0, [extension('plpgsql', '1.0')]);
    await found(look('b'), 5, [extension('plpgsql', '1.0')]);
    await found(look('a'), 10, [extension('plpgsql', '1.0'), extension('hstore', '1.7')]);
    await found(look('a'), 20, [extension('hstore', '1.8')]);
    const { events: all } = await events(`${windowed(0, 99)}&connection_id=${id}`);
    expect(all).toMatchObject([
      {
        title: '2 extensions changed',
        summary: `hstore and plpgsql changed in a of c${id}.`,
        details: {
          change_count: 2,
          changes: [
            { name: 'hstore', version: '1.8', old_version: '1.7', database: 'a', change_type: 'modified' },
            { name: 'plpgsql', version: null, old_version: '1.0', database: 'a', change_type: 'removed' },
          ],
        },
      },
      {
        id: `extension-${id}-${time(10)}`,
        title: 'Extension hstore added',
        details: {
          change_count: 1,
          changes: [
            { name: 'hstore', version: '1.7', old_version: null, database: 'a', change_type: 'added' },
          ],
        },
      },
    ]);
    expect(all).toHaveLength(2);
  });
});

describe('pages', () => {
  let ids: number[];
  beforeAll(async () => {
    ids = [await store.leased(), await store.leased()];
    for (const id of ids) {
      await found(settings(id), 0, [setting('jit', 'on')]);
      for (const second of [10, 20, 30]) await found(settings(id), second, [setting('jit', `v${second}`)]);
    }
  });
  const all = () => [30, 20, 10].flatMap((second) => ids.map((id) => `config-${id}-${time(second)}`));
  const named = () => `connection_ids=${ids.join(',')}`;

  it('hold the newest first and by id, and count all before they are cut', async () => {
    const whole = await events(`${windowed(0, 99)}&${named()}`);
    expect(whole.events.map(({ id }) => id)).toEqual(all());
    for (const limit of [1, 3, 5, 6, 1000]) {
      const page = await events(`${windowed(0, 99)}&${named()}&limit=${limit}`);
      expect(page.events).toEqual(whole.events.slice(0, limit));
      expect(page.total_count).toBe(6);
    }
  });

  it.each([
    [10, 30, 6],
    [10.001, 29.999, 2],
    [10, 29.999, 4],
    [30, 31, 2],
    [9, 10, 2],
    [31, 99, 0],
  ])('from %s to %s both bounds are in: %s events', async (from, to, count) => {
    const { events: found_, total_count } = await events(`${windowed(from, to)}&${named()}`);
    expect([found_.length, total_count]).toEqual([count, count]);
  });

  it('take other offsets, both ways to name servers, and types by name', async () => {
    const shifted = `start_time=2026-01-01T01:00:10%2B01:00&end_time=2026-01-01T00:00:30Z`;
    expect((await events(`${shifted}&${named()}`)).total_count).toBe(6);
    const [a, b] = ids;
    expect((await events(`${windowed(0, 99)}&connection_id=${a}&connection_ids=${b},${b}`)).total_count).toBe(
      6,
    );
    const of = async (types: string) =>
      (await events(`${windowed(0, 99)}&${named()}&event_types=${types}`)).total_count;
    expect(await of('config_change')).toBe(6);
    expect(await of('restart,%20config_change')).toBe(6);
    expect(await of('')).toBe(6);
    // None of these happened here.
    expect(await of('alert_fired,alert_cleared,alert_acknowledged,blackout_started,blackout_ended')).toBe(0);
  });
});

const NOON = '2026-01-01T12:00:00Z';
const LATER = '2026-01-01T13:00:00Z';

it.each([
  ['', 'start_time'],
  [`start_time=${NOON}`, 'end_time'],
  [`end_time=${NOON}`, 'start_time'],
  [`start_time=${NOON}&end_time=${NOON}`, 'end_time must be later than start_time'],
  [`start_time=${LATER}&end_time=${NOON}`, 'end_time must be later than start_time'],
  [`start_time=yesterday&end_time=${NOON}`, 'start_time'],
  [`start_time=2026-01-01&end_time=${NOON}`, 'start_time'],
  [`start_time=2026-02-30T00:00:00Z&end_time=${NOON}`, 'start_time'],
  [`start_time=${NOON}&start_time=${NOON}&end_time=${LATER}`, 'start_time'],
  [`start_time=${NOON}&end_time=${LATER}&limit=0`, 'limit'],
  [`start_time=${NOON}&end_time=${LATER}&limit=1001`, 'limit'],
  [`start_time=${NOON}&end_time=${LATER}&event_types=config_change,nonsense`, 'event_types must be of these'],
  [`start_time=${NOON}&end_time=${LATER}&connection_id=0`, 'connection_id'],
  [`start_time=${NOON}&end_time=${LATER}&connection_ids=1,,2`, 'connection_ids'],
  [`start_time=${NOON}&end_time=${LATER}&connection_ids=0`, 'connection_ids'],
  [`start_time=${NOON}&end_time=${LATER}&connection_ids=99999999999`, 'connection_ids'],
])('%s is refused with 400 that names what is wrong', async (query, says) => {
  const { status, error } = await call(query);
  expect([status, error]).toEqual([400, expect.stringContaining(says)]);
});

it('at most 1,000 connections may be named', async () => {
  const ids = Array.from({ length: 1001 }, (_none, one) => one + 1);
  const { status, error } = await call(`start_time=${NOON}&end_time=${LATER}&connection_ids=${ids}`);
  expect([status, error]).toEqual([400, 'At most 1,000 connections can be named at once.']);
});

it('shows the servers that the caller may read and refuses those that are named and hidden', async () => {
  const [a, b] = [await store.leased(), await store.leased()];
  for (const id of [a, b]) {
    await found(settings(id), 1000, [setting('jit', 'on')]);
    await found(settings(id), 1010, [setting('jit', 'off')]);
  }
  const shared = { text: 'update matriarch.connections set is_shared = true where id = $1', values: [a] };
  await store.db.run(shared);
  const seen = async (as: string) =>
    (await events(windowed(1005, 1099), as)).events.map(({ connection_id }) => connection_id);
  const { superuser, other } = api.actors;
  const scoped = (connection_id: number) =>
    makeToken(store.db, 1, { scope: { connections: [{ connection_id, level: 'read' }] } });
  const onlyB = await scoped(b);
  expect(await seen(token)).toEqual([a, b]);
  expect(await seen(superuser.session)).toEqual([a, b]);
  expect(await seen(other.session)).toEqual([a]);
  expect(await seen(onlyB)).toEqual([b]);
  expect(await seen(await makeToken(store.db, 1, { scope: { connections: [] } }))).toEqual([]);
  const statusOf = async (query: string, as: string) =>
    (await call(`${windowed(1005, 1099)}&${query}`, as)).status;
  expect(await statusOf(`connection_id=${b}`, other.session)).toBe(403);
  expect(await statusOf(`connection_ids=${a},${b}`, other.session)).toBe(403);
  expect(await statusOf(`connection_ids=${a}`, other.session)).toBe(200);
  expect(await statusOf(`connection_id=${a}`, onlyB)).toBe(403);
  expect(await statusOf('connection_id=2000000000', superuser.session)).toBe(403);
  expect((await api.call(`GET /api/v1/timeline/events?${windowed(0, 9)}`)).status).toBe(401);
});

it('takes three statements beside the one that says who asks', async () => {
  for (const query of [windowed(0, 99), `${windowed(0, 99)}&connection_ids=1,2`]) {
    api.statements.reset();
    await call(query);
    const names = api.statements.sent.map((text) => /\/\*\s*(\S+)/.exec(text)?.[1]);
    expect(names.toSorted()).toEqual([
      'access.authenticate',
      'store.fact_events',
      'timeline.servers',
      'timeline.stored_events',
    ]);
  }
});

it('tells further types on request alone, and says of what not all is told', async () => {
  const id = await store.leased();
  const ids = [id];
  for (let n = 0; n < 20; n += 1) ids.push(await store.leased());
  const look = { connection_id: id, probe: 'pg_server_info', keys: [] };
  const info = (server_version: string, is_in_recovery: boolean) => [{ server_version, is_in_recovery }];
  await found(look, 2000, info('18.3', true));
  await found(look, 2010, info('18.4', false));
  const window = windowed(2005, 2099);
  expect(await events(`${window}&connection_id=${id}`)).toEqual({ events: [], total_count: 0 });
  expect((await call(`${window}&event_types=role_change`)).status).toBe(400);
  expect((await call(`${window}&include=everything`)).status).toBe(400);
  const all = await events(`${window}&connection_id=${id}&include=changes`);
  expect(all).toMatchObject({
    events: [
      {
        id: `role-${id}-${time(2010)}`,
        event_type: 'role_change',
        details: { previous_role: 'standby', new_role: 'primary' },
      },
      {
        id: `version-${id}-${time(2010)}`,
        event_type: 'version_change',
        details: { previous_version: '18.3', new_version: '18.4' },
      },
    ],
    total_count: 2,
  });
  expect(all).not.toHaveProperty('incomplete');
  const many = await events(`${window}&connection_ids=${ids}&include=changes`);
  expect(many.incomplete).toEqual([
    { event_type: 'table_dropped', reason: expect.stringContaining('at most 20 servers') },
    { event_type: 'index_dropped', reason: expect.stringContaining('at most 20 servers') },
  ]);
  const one = await events(`${window}&connection_ids=${ids}&include=changes&event_types=role_change`);
  expect([one.total_count, one.incomplete]).toEqual([1, undefined]);
});
