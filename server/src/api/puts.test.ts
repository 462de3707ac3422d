// What an empty text does in each PUT: it takes away what may be absent, and leaves the rest as it is. One table over all
// operations: a PUT with a text that nobody listed here fails the test.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { membersOf, nodeOf } from '../kernel/schema-node.ts';
import { sql } from '../kernel/sql.ts';
import { makeUser } from '../testing/access/actors.ts';
import type { TestApi } from '../testing/api.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';
import { operations } from './operations.gen.ts';

interface Put {
  /** Makes one and answers its path. */
  make(): Promise<string>;
  /** Texts that an empty one clears, with what they hold before. */
  cleared: Record<string, string>;
  /** What every request needs. */
  base?: () => Promise<object>;
  /** What belongs together with one of them and goes in the same request. */
  together?: Record<string, readonly string[]>;
  /** Texts that stay, since an empty one means nothing, or that are refused. */
  kept: readonly string[];
  /** Where it is read again; the path itself when absent. */
  read?: (path: string) => Promise<unknown>;
}

let api: TestApi;
let token: string;
beforeAll(async () => {
  api = await startWholeApi();
  token = api.actors.superuser.session;
});
afterAll(() => api.close());

async function made(path: string, body: object): Promise<string> {
  const answer = await api.call(`POST ${path}`, { token, body });
  expect(answer.error).toBeUndefined();
  return `${path}/${JSON.parse(answer.text).id}`;
}

async function listed(path: string): Promise<unknown> {
  const [, collection = '', id] = /^(.*)\/(\d+)$/.exec(path) ?? [];
  const answer = await api.call(`GET ${collection}`, { token });
  const body: unknown = answer.body;
  const lists = Array.isArray(body) ? [body] : Object.values(Object(body)).filter(Array.isArray);
  return lists.flat().find((item: { id: number }) => String(item.id) === id);
}

const files = { ssl_cert_path: '/etc/a.crt', ssl_key_path: '/etc/a.key', ssl_root_cert_path: '/etc/ca.pem' };
const mail = { smtp_host: '127.0.0.1', from_address: 'matriarch@example.com' };
const place = { host: '127.0.0.1', port: 9, database_name: 'postgres', username: 'monitor' };

const always = { start_time: '2026-01-01T00:00:00Z', end_time: '2999-01-01T00:00:00Z' };
let scheduled: number | undefined;
async function nightly() {
  scheduled ??= Number(
    (await made('/api/v1/connections', { ...place, name: 'nightly', password: '' })).split('/').at(-1),
  );
  const times = { cron_expression: '0 2 * * *', duration_minutes: 60 };
  return { scope: 'server', connection_id: scheduled, name: 'nightly', ...times };
}

const PUTS: Record<string, Put> = {
  updateConnection: {
    make: () => made('/api/v1/connections', { ...place, name: 'orders', password: '' }),
    cleared: { description: 'x', ...files, node_exporter_url: 'http://127.0.0.1/' },
    together: { ssl_cert_path: ['ssl_key_path'], ssl_key_path: ['ssl_cert_path'] },
    // Of hostaddr another test looks into the table, since it is never shown.
    kept: ['name', 'host', 'database_name', 'username', 'password', 'password_source', 'hostaddr'],
  },
  updateCluster: {
    make: () => made('/api/v1/clusters', { name: 'orders' }),
    cleared: { description: 'x' },
    kept: ['name', 'auto_cluster_key'],
    read: (path) =>
      api.db.one(sql`/* test.cluster */
        select name, description from matriarch.clusters where id = ${Number(path.split('/').at(-1))}`),
  },
  updateClusterGroup: {
    make: () => made('/api/v1/cluster-groups', { name: 'Production' }),
    base: async () => ({ name: 'Production' }),
    cleared: { description: 'x' },
    kept: [],
  },
  updateConversation: {
    make: async () => {
      const body = { messages: [{ role: 'user', content: 'Why?' }] };
      const answer = await api.call('POST /api/v1/conversations', { token, body });
      return `/api/v1/conversations/${JSON.parse(answer.text).id}`;
    },
    cleared: { provider: 'ollama', model: 'qwen3', connection: 'orders' },
    kept: [],
    read: async (path) => {
      const { updated_at: _, ...rest } = Object((await api.call(`GET ${path}`, { token })).body);
      return rest;
    },
  },
  updateGroup: {
    make: () => made('/api/v1/rbac/groups', { name: 'readers' }),
    cleared: { description: 'x' },
    kept: ['name'],
    read: listed,
  },
  setConnectionCluster: {
    make: async () =>
      `${await made('/api/v1/connections', { ...place, name: 'member', password: '' })}/cluster`,
    base: async () => {
      const path = await made('/api/v1/clusters', { name: 'its cluster' });
      return { cluster_id: Number(path.split('/').at(-1)), membership_source: 'manual' };
    },
    cleared: { role: 'spock_node' },
    kept: [],
    read: async (path) => Object((await api.call(`GET ${path}`, { token })).body).info,
  },
  updateNotificationChannel: {
    make: () => made('/api/v1/notification-channels', { ...mail, channel_type: 'email', name: 'On call' }),
    cleared: {
      description: 'x',
      from_name: 'Matriarch',
      template_alert_fire: 'a',
      template_alert_clear: 'b',
      template_reminder: 'c',
    },
    kept: [
      'name',
      'endpoint_url',
      'smtp_host',
      'from_address',
      // Secrets and what belongs to other types: other tests look at these.
      'webhook_url',
      'auth_credentials',
      'smtp_username',
      'smtp_password',
      'api_key',
      'signing_secret',
    ],
    read: async (path) => {
      const { updated_at: _, ...rest } = Object((await api.call(`GET ${path}`, { token })).body);
      return rest;
    },
  },
  updateChannelRecipient: {
    make: async () =>
      made(
        `${await made('/api/v1/notification-channels', { ...mail, channel_type: 'email', name: 'On call' })}/recipients`,
        {
          email_address: 'ada@example.com',
        },
      ),
    cleared: { display_name: 'Ada' },
    kept: ['email_address'],
    read: listed,
  },
  updateUser: {
    make: async () => `/api/v1/rbac/users/${(await makeUser(api.db)).user_id}`,
    cleared: { display_name: 'Ada', email: 'ada@example.com', annotation: 'x' },
    kept: ['password'],
    read: listed,
  },
  updateBlackout: {
    make: () => made('/api/v1/blackouts', { scope: 'estate', ...always }),
    cleared: { reason: 'x' },
    kept: ['end_time'],
  },
  updateBlackoutSchedule: {
    make: async () => made('/api/v1/blackout-schedules', { ...(await nightly()), timezone: 'Europe/Vienna' }),
    base: nightly,
    cleared: { reason: 'x', database_name: 'orders' },
    kept: ['timezone'],
  },
};

const texts = operations
  .filter(({ method, id }) => method === 'PUT' && id !== 'changeOwnPassword')
  .flatMap(({ id, body }) => {
    const members = body ? membersOf(nodeOf(body)) : [];
    const optional = members.filter(
      ({ node, required }) => !required && node.type === 'string' && !node.enum,
    );
    return optional.length > 0 ? [{ id, names: optional.map(({ name }) => name) }] : [];
  });

it('every PUT that takes texts is in the table', () => {
  expect(texts.map(({ id }) => id).sort()).toEqual(Object.keys(PUTS).sort());
});

describe.each(texts)('$id', ({ id, names }) => {
  it('clears what may be absent and keeps the rest', async () => {
    const put = PUTS[id] ?? expect.fail();
    const { cleared, kept, together = {} } = put;
    expect(names.sort()).toEqual([...Object.keys(cleared), ...kept].sort());
    const path = await put.make();
    const read = async () =>
      Object(put.read ? await put.read(path) : (await api.call(`GET ${path}`, { token })).body);
    const base = await put.base?.();
    const change = (body: object) => api.call(`PUT ${path}`, { token, body: { ...base, ...body } });
    expect((await change(cleared)).error).toBeUndefined();
    const before = await read();
    expect(before).toMatchObject(cleared);
    for (const name of kept) {
      expect([200, 204, 400]).toContain((await change({ [name]: '' })).status);
      expect(await read()).toEqual(before);
    }
    for (const name of Object.keys(cleared)) {
      const all = [name, ...(together[name] ?? [])];
      expect((await change(Object.fromEntries(all.map((one) => [one, '']))))?.error).toBeUndefined();
      expect((await read())[name] ?? '').toBe('');
    }
  });
});
