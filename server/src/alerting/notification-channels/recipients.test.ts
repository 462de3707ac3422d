// Recipients of channels, the catalog of their types and the preview of a message, through HTTP.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, startTestApi, type TestApi } from '../../testing/api.ts';
import { type HttpPeer, startHttpPeer } from '../../testing/channels/http-peer.ts';
import { channelsRoom } from '../../testing/rooms/channels.ts';

const PATH = '/api/v1/notification-channels';

let api: TestApi;
let peer: HttpPeer;
let token: string;
beforeAll(async () => {
  [api, peer] = await Promise.all([startTestApi({ rooms: [channelsRoom] }), startHttpPeer()]);
  token = api.actors.superuser.session;
});
afterAll(async () => {
  await Promise.all([api.close(), peer.stop()]);
});
const call = (request: string, body?: unknown) =>
  api.call(request, { token, ...(body !== undefined && { body }) });

async function made(body: object): Promise<{ id: number; path: string; channel: Record<string, unknown> }> {
  const answer = await call(`POST ${PATH}`, { name: 'On call', ...body });
  expect([answer.status, answer.error]).toEqual([201, undefined]);
  const channel = Object(answer.body);
  return { id: channel.id, path: `${PATH}/${channel.id}`, channel };
}

const email = () => ({
  channel_type: 'email',
  smtp_host: '127.0.0.1',
  smtp_port: 25,
  smtp_use_tls: false,
  from_address: 'matriarch@example.com',
});

const expectRefused = (answer: Answer, words: RegExp) => {
  expect(answer.status, answer.text).toBe(400);
  expect(answer.error).toMatch(words);
};

describe('recipients', () => {
  it('belong to one email channel', async () => {
    const { path, id } = await made(email());
    const other = await made({ ...email(), name: 'Other' });
    const slack = await made({ channel_type: 'slack', webhook_url: `${peer.url}/` });
    const added = await call(`POST ${path}/recipients`, {
      email_address: 'Ada@example.com',
      display_name: 'Ada',
    });
    expect(added.status).toBe(201);
    const recipient = Object(added.body);
    expect(recipient).toMatchObject({
      channel_id: id,
      email_address: 'Ada@example.com',
      display_name: 'Ada',
      enabled: true,
    });
    expect((await call(`POST ${path}/recipients`, { email_address: 'ada@EXAMPLE.com' })).status).toBe(409);
    expectRefused(await call(`POST ${path}/recipients`, { email_address: 'a b@c' }), /email address/);
    expectRefused(
      await call(`POST ${slack.path}/recipients`, { email_address: 'a@b.c' }),
      /Only email channels/,
    );
    expect((await call(`GET ${slack.path}/recipients`)).body).toEqual([]);
    for (const request of [`PUT ${other.path}`, `DELETE ${other.path}`])
      expect((await call(`${request}/recipients/${recipient.id}`, { enabled: false })).status).toBe(404);
    expectRefused(await call(`PUT ${path}/recipients/${recipient.id}`, {}), /at least one/);
    const changed = Object(
      (await call(`PUT ${path}/recipients/${recipient.id}`, { enabled: false, display_name: '' })).body,
    );
    expect(changed.enabled).toBe(false);
    expect(Object((await call(`GET ${path}`)).body).recipients).toEqual([changed]);
    expect((await call(`DELETE ${path}/recipients/${recipient.id}`)).body).toEqual({ status: 'deleted' });
    expect((await call(`DELETE ${path}/recipients/${recipient.id}`)).status).toBe(404);
  });
});

describe('the catalog and its preview', () => {
  it('says of each type what configures it', async () => {
    const types = Object((await call(`GET ${PATH}/types`)).body);
    const one = (name: string) =>
      types.find(({ channel_type }: { channel_type: string }) => channel_type === name);
    expect(one('slack').members).toMatchObject([
      { name: 'webhook_url', required: true, is_secret: true, kind: 'text' },
    ]);
    expect(one('webhook').members).toContainEqual(
      expect.objectContaining({
        name: 'http_method',
        kind: 'choice',
        choices: ['GET', 'POST', 'PUT', 'PATCH'],
        default: 'POST',
      }),
    );
    expect(one('pagerduty').members[1]).toMatchObject({
      name: 'endpoint_url',
      default: expect.stringContaining('pagerduty.com'),
    });
    expect(one('email')).toMatchObject({ has_recipients: true, template: 'html' });
  });

  it('shows a message without sending it', async () => {
    const preview = (body: object) => call(`POST ${PATH}/preview`, body);
    const own = Object(
      (await preview({ channel_type: 'slack', template: '{"text": "{{.AlertTitle}}"}' })).body,
    );
    expect(own).toEqual({
      content_type: 'application/json',
      body: expect.stringContaining('High connection usage'),
    });
    const cleared = Object((await preview({ channel_type: 'email', notification_type: 'alert_clear' })).body);
    expect(cleared.content_type).toBe('text/html');
    expect(cleared.body).toContain('Cleared');
    expectRefused(await preview({ channel_type: 'slack', template: '{{.Nope}}' }), /no field/);
    expectRefused(await preview({ channel_type: 'teams', template: '{}' }), /no templates/);
    expect(peer.requests).toEqual([]);
  });
});
