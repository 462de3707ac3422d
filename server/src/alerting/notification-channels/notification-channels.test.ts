// Channels and their recipients through HTTP: what is stored, what is shown to whom, what is refused and why.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeUser } from '../../testing/access/actors.ts';
import { type Answer, startTestApi, type TestApi } from '../../testing/api.ts';
import { type HttpPeer, startHttpPeer } from '../../testing/channels/http-peer.ts';
import { type MailPeer, startMailPeer } from '../../testing/channels/mail-peer.ts';
import { channelsOf, channelsRoom } from '../../testing/rooms/channels.ts';
import { rbacRoom } from '../../testing/rooms/rbac.ts';
import { notificationChannelsRoutes } from './notification-channels.routes.ts';

const CANARY = 'canary-77aa';
const PATH = '/api/v1/notification-channels';

let api: TestApi;
let peer: HttpPeer;
let mail: MailPeer;
let token: string;
beforeAll(async () => {
  [api, peer, mail] = await Promise.all([
    startTestApi({ rooms: [channelsRoom, rbacRoom] }),
    startHttpPeer(),
    startMailPeer(),
  ]);
  token = api.actors.superuser.session;
});
afterAll(async () => {
  await Promise.all([api.close(), peer.stop(), mail.stop()]);
});
beforeEach(() => {
  peer.requests.length = 0;
  peer.answer = { status: 200 };
  mail.mails.length = 0;
});

const call = (request: string, body?: unknown) =>
  api.call(request, { token, ...(body !== undefined && { body }) });

async function made(body: object): Promise<{ id: number; path: string; channel: Record<string, unknown> }> {
  const answer = await call(`POST ${PATH}`, { name: 'On call', ...body });
  expect([answer.status, answer.error]).toEqual([201, undefined]);
  const channel = Object(answer.body);
  return { id: channel.id, path: `${PATH}/${channel.id}`, channel };
}

const webhook = () => ({
  channel_type: 'webhook',
  endpoint_url: `${peer.url}/hook`,
  auth_type: 'bearer',
  auth_credentials: `${CANARY}-token`,
  headers: { 'X-Team': `${CANARY}-header`, 'X-Plain': 'b' },
});
const email = () => ({
  channel_type: 'email',
  smtp_host: '127.0.0.1',
  smtp_port: mail.port,
  smtp_use_tls: false,
  from_address: 'matriarch@example.com',
});

const expectRefused = (answer: Answer, words: RegExp) => {
  expect(answer.status, answer.text).toBe(400);
  expect(answer.error).toMatch(words);
  expect(answer.text).not.toContain(CANARY);
};

describe('creating, reading and changing', () => {
  it('shows what is set, and of secrets only that they are', async () => {
    const { channel, path } = await made(webhook());
    expect(channel).toMatchObject({
      channel_type: 'webhook',
      owner_username: api.actors.superuser.username,
      enabled: true,
      is_estate_default: false,
      endpoint_url: `${peer.url}/hook`,
      http_method: 'POST',
      header_names: ['X-Plain', 'X-Team'],
      auth_type: 'bearer',
      auth_credentials_set: true,
      webhook_url_set: false,
      api_key_set: false,
      signing_secret_set: false,
      smtp_port: 587,
      smtp_use_tls: true,
      reminder_enabled: false,
      reminder_interval_hours: 4,
    });
    for (const request of [`GET ${path}`, `GET ${PATH}`])
      expect((await call(request)).text).not.toContain(CANARY);
    const stored = await api.db.rows<{ sealed: Buffer }>(sql`/* test.sealed */
      select sealed from matriarch.notification_channel_secrets`);
    expect(stored.every(({ sealed }) => !sealed.includes(CANARY))).toBe(true);
  });

  it('keeps how TLS of a mail server begins', async () => {
    const { channel, path } = await made({ ...email(), smtp_tls_mode: 'implicit' });
    expect(channel).toMatchObject({ smtp_tls_mode: 'implicit' });
    expectRefused(await call(`PUT ${path}`, { smtp_tls_mode: 'perhaps' }), /smtp_tls_mode/);
    expect((await call(`PUT ${path}`, { smtp_tls_mode: 'starttls' })).body).toMatchObject({
      smtp_tls_mode: 'starttls',
    });
    expect((await made(email())).channel).toMatchObject({ smtp_tls_mode: 'auto' });
  });

  it('is reduced for whoever may not manage channels', async () => {
    const { path } = await made({ ...email(), from_name: 'M', template_alert_fire: 'x' });
    const reader = api.actors.other.session;
    const seen = Object((await api.call(`GET ${path}`, { token: reader })).body);
    for (const hidden of [
      'endpoint_url',
      'header_names',
      'smtp_host',
      'from_address',
      'from_name',
      'template_alert_fire',
      'recipients',
    ])
      expect(seen).not.toHaveProperty(hidden);
    expect(seen).toMatchObject({ channel_type: 'email', smtp_port: mail.port, smtp_password_set: false });
    expect((await api.call(`PUT ${path}`, { token: reader, body: { enabled: false } })).status).toBe(403);
  });

  it('lists by name, and names the token that made one', async () => {
    const made_by = await api.call('POST /api/v1/rbac/tokens', {
      token,
      body: {
        name: 'deploys',
        owner_username: api.actors.superuser.username,
        annotation: 'deploys',
        expires_in: '1d',
      },
    });
    const own = Object(made_by.body).token;
    if (typeof own === 'string')
      expect(
        Object(
          (await api.call(`POST ${PATH}`, { token: own, body: { ...webhook(), name: 'AA first' } })).body,
        ).owner_token,
      ).toBe('deploys');
    await made({ ...webhook(), name: 'ab' });
    const names = Object((await call(`GET ${PATH}`)).body).map(({ name }: { name: string }) =>
      name.toLowerCase(),
    );
    expect(names).toEqual([...names].sort());
  });

  it('ignores what belongs to another type, and takes defaults', async () => {
    const { channel } = await made({
      channel_type: 'slack',
      webhook_url: `${peer.url}/${CANARY}`,
      smtp_host: '???',
      endpoint_url: 'nonsense',
      auth_credentials: 'x',
    });
    expect(channel).toMatchObject({ webhook_url_set: true, auth_credentials_set: false });
    expect(channel).not.toHaveProperty('smtp_host');
    expect(channel).not.toHaveProperty('endpoint_url');
  });

  it('keeps what is absent and clears what is empty', async () => {
    const { path } = await made({
      ...webhook(),
      description: 'Who is on call',
      template_alert_fire: '{"a": "{{.Status}}"}',
    });
    const kept = Object((await call(`PUT ${path}`, { name: 'Renamed' })).body);
    expect(kept).toMatchObject({
      description: 'Who is on call',
      auth_credentials_set: true,
      header_names: ['X-Plain', 'X-Team'],
    });
    const cleared = Object(
      (
        await call(`PUT ${path}`, {
          description: '',
          auth_type: 'none',
          auth_credentials: '',
          template_alert_fire: '',
        })
      ).body,
    );
    expect(cleared).toMatchObject({ name: 'Renamed', auth_credentials_set: false });
    expect(cleared).not.toHaveProperty('description');
    expect(cleared).not.toHaveProperty('template_alert_fire');
  });

  it('replaces headers whole, where an empty value keeps the stored one', async () => {
    const { path } = await made(webhook());
    const after = Object((await call(`PUT ${path}`, { headers: { 'x-team': '', 'X-New': 'n' } })).body);
    expect(after.header_names).toEqual(['X-New', 'X-Team']);
    await call(`POST ${path}/test`);
    expect(peer.requests[0]?.headers).toMatchObject({ 'x-team': `${CANARY}-header`, 'x-new': 'n' });
    expect(peer.requests[0]?.headers).not.toHaveProperty('x-plain');
    expectRefused(await call(`PUT ${path}`, { headers: { 'X-Unknown': '' } }), /no stored value/);
    expect(Object((await call(`PUT ${path}`, { headers: {} })).body)).not.toHaveProperty('header_names');
  });

  it('deletes a channel with all that is its own', async () => {
    const { path, id } = await made(email());
    await call(`POST ${path}/recipients`, { email_address: 'ada@example.com' });
    expect((await call(`DELETE ${path}`)).body).toEqual({ status: 'deleted' });
    expect((await call(`GET ${path}`)).status).toBe(404);
    const left = await api.db.one<{ count: number }>(sql`/* test.left */
      select count(*)::int as count from matriarch.email_recipients where channel_id = ${id}`);
    expect(left.count).toBe(0);
  });

  it('writes every change to the audit log, and no secret', async () => {
    const { path, id } = await made({ ...webhook(), name: 'Audited' });
    await call(`PUT ${path}`, { auth_credentials: `${CANARY}-new` });
    await call(`DELETE ${path}`);
    const events = await api.db.rows<{ action: string; details: unknown }>(sql`/* test.audit */
      select action, details from matriarch.audit_events
      where target_kind = 'channel' and target_id = ${String(id)} order by id`);
    expect(events.map(({ action }) => action)).toEqual([
      'channel.create',
      'channel.change',
      'channel.delete',
    ]);
    expect(events[1]?.details).toMatchObject({ changed: ['auth_credentials'] });
    expect(JSON.stringify(events)).not.toContain(CANARY);
  });
});

describe('what is refused', () => {
  it.each([
    [{ channel_type: 'email', from_address: 'a@b.c' }, /smtp_host is missing/],
    [{ channel_type: 'email', smtp_host: 'mail.invalid' }, /from_address is missing/],
    [{ channel_type: 'email', smtp_host: 'a b', from_address: 'a@b.c' }, /smtp_host/],
    [{ channel_type: 'email', smtp_host: 'm.invalid', from_address: 'a' }, /from_address must be an email/],
    [{ channel_type: 'email', smtp_host: 'm.invalid', from_address: 'a@b.c\r\nBcc: e@f.g' }, /from_address/],
    [
      { channel_type: 'email', smtp_host: 'm.invalid', from_address: 'a@b.c', from_name: 'x\r\nBcc: e@f.g' },
      /from_name/,
    ],
    [
      { channel_type: 'email', smtp_host: 'm.invalid', from_address: 'a@b.c', smtp_password: 'x' },
      /smtp_username is missing/,
    ],
    [{ channel_type: 'slack' }, /webhook_url is missing/],
    [{ channel_type: 'mattermost', webhook_url: `ftp://${CANARY}/` }, /webhook_url must be/],
    [{ channel_type: 'webhook' }, /endpoint_url is missing/],
    [{ channel_type: 'webhook', endpoint_url: 'http://user:pass@a.invalid/' }, /user name or password/],
    [{ channel_type: 'webhook', endpoint_url: 'http://169.254.169.254/' }, /not allowed/],
    [{ channel_type: 'webhook', endpoint_url: 'http://[::ffff:169.254.169.254]/' }, /not allowed/],
    [
      { channel_type: 'webhook', endpoint_url: 'http://a.invalid/', auth_type: 'basic' },
      /auth_credentials is missing/,
    ],
    [
      {
        channel_type: 'webhook',
        endpoint_url: 'http://a.invalid/',
        auth_type: 'basic',
        auth_credentials: CANARY,
      },
      /user:password/,
    ],
    [
      {
        channel_type: 'webhook',
        endpoint_url: 'http://a.invalid/',
        auth_type: 'api_key',
        auth_credentials: CANARY,
      },
      /Header-Name: value/,
    ],
    [
      {
        channel_type: 'webhook',
        endpoint_url: 'http://a.invalid/',
        auth_type: 'api_key',
        auth_credentials: 'Host: x',
      },
      /set by Matriarch/,
    ],
    [
      { channel_type: 'webhook', endpoint_url: 'http://a.invalid/', headers: { 'X Y': 'a' } },
      /no name of a header/,
    ],
    [
      { channel_type: 'webhook', endpoint_url: 'http://a.invalid/', headers: { 'X-A': 'a\r\nX-B: b' } },
      /one line/,
    ],
    [
      { channel_type: 'webhook', endpoint_url: 'http://a.invalid/', headers: { 'X-A': 'a', 'x-a': 'b' } },
      /twice/,
    ],
    [
      { channel_type: 'webhook', endpoint_url: 'http://a.invalid/', headers: { 'Content-Length': '1' } },
      /set by Matriarch/,
    ],
    [
      { channel_type: 'slack', webhook_url: 'http://a.invalid/', template_alert_fire: '{{range .X}}' },
      /template_alert_fire knows only/,
    ],
    [
      {
        channel_type: 'slack',
        webhook_url: 'http://a.invalid/',
        template_alert_clear: '{"a": {{.DatabaseName}}}',
      },
      /valid JSON/,
    ],
    [
      {
        channel_type: 'slack',
        webhook_url: 'http://a.invalid/',
        template_reminder: '{"n": {{.MetricValue}}}',
      },
      /valid JSON/,
    ],
    [{ channel_type: 'pagerduty' }, /api_key is missing/],
    [{ channel_type: 'fax' }, /channel_type/],
    [
      { channel_type: 'slack', webhook_url: 'http://a.invalid/', reminder_interval_hours: 721 },
      /reminder_interval_hours/,
    ],
  ])('%j', async (body, words) => {
    expectRefused(await call(`POST ${PATH}`, { name: 'Refused', ...body }), words);
  });

  it('private addresses, unless they are allowed', async () => {
    const channels = { ...(await channelsOf(api.parts)), allow_private_networks: false };
    const strict = await startTestApi({ rooms: [() => notificationChannelsRoutes(channels)] });
    const body = { name: 'x', channel_type: 'webhook' };
    for (const endpoint_url of [
      'http://127.0.0.1/',
      'http://10.1.2.3/',
      'http://localhost/',
      'http://[fd00::1]/',
    ]) {
      const answer = await strict.call(`POST ${PATH}`, {
        token: strict.actors.superuser.session,
        body: { ...body, endpoint_url },
      });
      expectRefused(answer, /channels\.allow_private_networks/);
    }
    await strict.close();
  });

  it('a required member cannot be cleared', async () => {
    const { path } = await made(email());
    expectRefused(await call(`PUT ${path}`, { smtp_host: '' }), /smtp_host is missing/);
    const slack = await made({ channel_type: 'slack', webhook_url: `${peer.url}/` });
    expectRefused(await call(`PUT ${slack.path}`, { webhook_url: '' }), /webhook_url is missing/);
  });
});

describe('a stored secret stays with the address it was entered for', () => {
  it.each([
    ['endpoint_url', (url: string) => ({ endpoint_url: `${url}/elsewhere` })],
    [
      'endpoint_url with one of two secrets',
      (url: string) => ({ endpoint_url: `${url}/elsewhere`, auth_credentials: 'new' }),
    ],
    [
      'endpoint_url with a header kept',
      (url: string) => ({
        endpoint_url: `${url}/elsewhere`,
        auth_credentials: 'new',
        headers: { 'X-Team': '' },
      }),
    ],
    ['auth_type', () => ({ auth_type: 'basic' })],
  ])('another %s', async (_what, change) => {
    const { path } = await made(webhook());
    expectRefused(await call(`PUT ${path}`, change(peer.url)), /^Enter .* again/);
    await call(`POST ${path}/test`);
    expect(peer.requests.map(({ url }) => url)).toEqual(['/hook']);
  });

  it('goes elsewhere with its secrets entered again, or cleared', async () => {
    const { path } = await made(webhook());
    const endpoint_url = `${peer.url}/elsewhere`;
    const all = { endpoint_url, auth_credentials: 'new', headers: { 'X-Team': 'n' } };
    expect((await call(`PUT ${path}`, all)).status).toBe(200);
    await call(`POST ${path}/test`);
    expect(peer.requests[0]).toMatchObject({
      url: '/elsewhere',
      headers: { authorization: 'Bearer new', 'x-team': 'n' },
    });
    const bare = { endpoint_url: `${peer.url}/third`, auth_type: 'none', auth_credentials: '', headers: {} };
    expect((await call(`PUT ${path}`, bare)).status).toBe(200);
  });

  it('of a mail server: another host, port or user, and TLS switched off, but not TLS switched on', async () => {
    const secrets = { smtp_username: 'herd', smtp_password: `${CANARY}-p` };
    const { path } = await made({ ...email(), ...secrets });
    for (const change of [{ smtp_host: 'localhost' }, { smtp_port: 1 }, { smtp_username: 'other' }])
      expectRefused(await call(`PUT ${path}`, change), /again/);
    expect((await call(`PUT ${path}`, { smtp_host: '127.0.0.1', from_name: 'x' })).status).toBe(200);
    expect((await call(`PUT ${path}`, { smtp_use_tls: true })).status).toBe(200);
    expectRefused(await call(`PUT ${path}`, { smtp_use_tls: false }), /again/);
    expect((await call(`PUT ${path}`, { smtp_use_tls: false, ...secrets })).status).toBe(200);
    mail.users.set('herd', `${CANARY}-p`);
    expect((await call(`POST ${path}/test`, { recipient_email: 'ada@example.com' })).body).toEqual({
      status: 'sent',
    });
    expect(mail.mails[0]?.user).toBe('herd');
    mail.users.clear();
  });

  it('also when the row was changed behind our back', async () => {
    const { path, id } = await made(webhook());
    await api.db.run(sql`/* test.tamper */
      update matriarch.notification_channels
      set config = config || jsonb_build_object('endpoint_url', ${`${peer.url}/stolen`}::text) where id = ${id}`);
    expectRefused(await call(`POST ${path}/test`), /entered for another address/);
    await api.db.run(sql`/* test.tamper_destination */
      update matriarch.notification_channel_secrets
      set destination = ${JSON.stringify(['webhook', `${peer.url}/stolen`])} where channel_id = ${id}`);
    expectRefused(await call(`POST ${path}/test`), /cannot be decrypted/);
    expect(peer.requests).toEqual([]);
  });
});

describe('trying a channel', () => {
  it('needs no body and no content type, works on a disabled one, and stores nothing', async () => {
    const { path } = await made({ ...webhook(), enabled: false });
    expect((await api.call(`POST ${path}/test`, { token })).body).toEqual({ status: 'sent' });
    expect(
      (
        await api.call(`POST ${path}/test`, {
          token,
          headers: { 'content-type': 'application/json' },
          body: '',
        })
      ).status,
    ).toBe(200);
    expect(Object(peer.requests[0]?.json())).toMatchObject({
      headline: 'orders / orders-db-1 [warning]: Test: High connection usage',
      alerts: [
        {
          title: 'Test: High connection usage',
          description: expect.stringMatching(/92\.5 % .*\nThis is a test message of the channel "On call"/),
        },
      ],
    });
    const { count } = await api.db.one<{ count: number }>(
      sql`/* test.outbox */ select count(*)::int as count from matriarch.notifications`,
    );
    expect(count).toBe(0);
  });

  it('says why it failed, in our words', async () => {
    const { path } = await made(webhook());
    peer.answer = { status: 401, body: 'secret-words' };
    const answer = await call(`POST ${path}/test`);
    expectRefused(answer, /refused the credentials.*HTTP 401/);
    expect(answer.text).not.toContain('secret-words');
  });

  it('mails to the enabled recipients, or to the one that is named', async () => {
    const { path } = await made(email());
    expectRefused(await call(`POST ${path}/test`), /no recipient/);
    await call(`POST ${path}/recipients`, { email_address: 'ada@example.com' });
    await call(`POST ${path}/recipients`, { email_address: 'off@example.com', enabled: false });
    expect((await call(`POST ${path}/test`)).status).toBe(200);
    expect((await call(`POST ${path}/test`, { recipient_email: 'bob@example.com' })).status).toBe(200);
    expect(mail.mails.map(({ to }) => to)).toEqual([['ada@example.com'], ['bob@example.com']]);
    expectRefused(await call(`POST ${path}/test`, { recipient_email: 'x' }), /recipient_email/);
  });

  it('leaves no alert open where the other side keeps them', async () => {
    const { path } = await made({
      channel_type: 'pagerduty',
      api_key: `${CANARY}-key`,
      endpoint_url: peer.url,
    });
    expect((await call(`POST ${path}/test`)).status).toBe(200);
    expect(peer.requests.map((request) => Object(request.json()).event_action)).toEqual([
      'trigger',
      'resolve',
    ]);
  });

  it('is limited for each user', async () => {
    const { path } = await made(webhook());
    const many = await makeUser(api.db, { is_superuser: true });
    const answers = await Promise.all(
      Array.from({ length: 61 }, () => api.call(`POST ${path}/test`, { token: many.session })),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toMatch(/^\d+$/);
  });
});
