// The kit of channels: each of the catalog against a real peer over its wire, well and badly behaved. A new channel is in
// it as soon as its file and its scene are. S2, S3, S19.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { type HttpPeer, type PeerRequest, startHttpPeer } from '../../testing/channels/http-peer.ts';
import { CANARY, KEY, TIMESTAMP } from '../../testing/channels/wire.ts';
import { wire } from '../../testing/scenes/of-channels.gen.ts';
import { makeTlsFiles } from '../../testing/servers/tls-files.ts';
import { type AlertFacts, type Message, NOTIFICATION_KINDS, SAMPLE_ALERT } from './alert-facts.ts';
import { type ChannelType, channels } from './catalog.gen.ts';
import { channelOf, createSender, type Sender } from './sender.ts';
import { DeliveryError, type SendCall } from './types.ts';

const message = (more: Partial<Message> = {}): Message => ({
  kind: 'fire',
  key: KEY,
  timestamp: TIMESTAMP,
  alerts: [SAMPLE_ALERT],
  base_url: 'https://matriarch.example',
  ...more,
});

type Call = Omit<SendCall, 'out'>;

/** Configured for a peer at `url`, with a canary in every secret. */
function callTo(type: ChannelType, url: string, sent = message()): Call {
  const members = Object(channelOf(type)).members;
  const hasEndpoint = 'endpoint_url' in members;
  return {
    config: {
      ...(hasEndpoint && { endpoint_url: url }),
      ...('auth_type' in members && { auth_type: 'bearer' }),
    },
    secrets: {
      ...('webhook_url' in members && { webhook_url: new Secret(`${url}/${CANARY}-url`) }),
      ...('auth_credentials' in members && { auth_credentials: new Secret(`${CANARY}-credentials`) }),
      ...('api_key' in members && { api_key: new Secret(`${CANARY}-key`) }),
    },
    headers: 'headers' in members ? [{ name: 'X-Team', value: new Secret(`${CANARY}-header`) }] : [],
    recipients: [],
    message: sent,
  };
}

const overHttp = channels.map(({ name }) => name).filter((name) => name !== 'email');

let peer: HttpPeer;
let secure: HttpPeer;
let sender: Sender;
let ca: string;
const folder = mkdtempSync(path.join(tmpdir(), 'matriarch-channels-'));
beforeAll(async () => {
  const tls = makeTlsFiles(folder, { host: '127.0.0.1' });
  ca = readFileSync(tls.ca, 'utf8');
  [peer, secure] = await Promise.all([startHttpPeer(), startHttpPeer(tls)]);
  sender = createSender({ allow_private_networks: true });
});
afterAll(async () => {
  await sender.stop();
  await Promise.all([peer.stop(), secure.stop()]);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  peer.requests.length = 0;
  peer.answer = { status: 200 };
});

async function failure(work: Promise<unknown>): Promise<DeliveryError> {
  const error = await work.catch((reason: unknown) => reason);
  if (error instanceof DeliveryError) return error;
  throw new Error(`expected a DeliveryError, got ${String(error)}`);
}

const only = (): PeerRequest => {
  expect(peer.requests).toHaveLength(1);
  return peer.requests[0] ?? expect.fail();
};

/** Nothing secret, and nothing that the peer wrote. */
const expectOurWords = (words: string) => {
  expect(words).not.toContain(CANARY);
  expect(words).not.toContain('secret-words');
  expect(words).not.toContain('127.0.0.1');
};

describe.each(overHttp)('%s', (type) => {
  const send = (more: Partial<Message> = {}, options: { timeout_ms?: number } = {}) =>
    sender.send(type, callTo(type, peer.url, message(more)), options);

  it('speaks its wire format, with a key that tells repetitions', async () => {
    expectOurWords(await send());
    const request = only();
    expect(request.method).toBe('POST');
    expect(request.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': KEY });
    wire[type](request);
  });

  it.each(NOTIFICATION_KINDS)('puts every kind into words: %s', async (kind) => {
    const alert = {
      ...SAMPLE_ALERT,
      ...(kind === 'clear' && { status: 'cleared' as const, cleared_at: TIMESTAMP }),
    };
    await send({ kind, alerts: [alert] });
    const request = only();
    expect(() => request.json()).not.toThrow();
    expect(request.body).toMatch(/cleared|resolve|acknowledge|trigger|alert|reminder|open/i);
  });

  it.each([200, 201, 202, 204])('takes %i for success', async (status) => {
    peer.answer = { status };
    expect(await send()).toContain(`HTTP ${status}`);
  });

  it.each([301, 302, 307, 400, 401, 403, 404, 408, 410, 413, 418, 422, 429, 500, 502, 503, 599])(
    'says in its own words that %i is none',
    async (status) => {
      peer.answer = { status, body: 'secret-words', headers: { location: `${peer.url}/elsewhere` } };
      const { message: words, extent } = await failure(send());
      expect(words).toContain(`HTTP ${status}`);
      expectOurWords(words);
      expect(extent).toBe([400, 413, 418, 422].includes(status) ? 'message' : 'channel');
      // No redirect is followed.
      only();
    },
  );

  it.each([
    ['7', 7000],
    ['86400', 86_400_000],
    ['x', undefined],
    ['999999999', undefined],
  ])('hears a Retry-After of %s', async (header, expected) => {
    peer.answer = { status: 429, headers: { 'retry-after': header } };
    expect((await failure(send())).retry_after_ms).toBe(expected);
  });

  it('hears a Retry-After that is a time', async () => {
    const at = new Date(Math.ceil(performance.timeOrigin + performance.now()) + 60_000);
    peer.answer = { status: 503, headers: { 'retry-after': at.toUTCString() } };
    const { retry_after_ms = 0 } = await failure(send());
    expect(retry_after_ms).toBeGreaterThan(30_000);
    expect(retry_after_ms).toBeLessThanOrEqual(60_000);
  });

  it.each(['hang', 'drip'] as const)('gives up on a peer that makes it wait: %s', async (answer) => {
    peer.answer = answer;
    expect((await failure(send({}, { timeout_ms: 300 }))).message).toBe(
      'The other side did not answer in time.',
    );
  });

  it('does not wait for the end of an answer without one', async () => {
    peer.answer = 'endless';
    expect(await send()).toContain('HTTP 200');
  });

  it('tells a connection that was cut', async () => {
    peer.answer = 'cut';
    expectOurWords((await failure(send())).message);
  });

  it('calls no private address that was not allowed', async () => {
    const strict = createSender({ allow_private_networks: false });
    const refused = await failure(strict.send(type, callTo(type, peer.url)));
    await strict.stop();
    expect(refused.message).toMatch(/^The address is not allowed/);
    expectOurWords(refused.message);
    expect(peer.requests).toEqual([]);
  });

  it.each(['http://169.254.169.254/', 'http://[::ffff:169.254.169.254]/', 'http://0.0.0.0/'])(
    'never calls %s',
    async (url) => {
      expect((await failure(sender.send(type, callTo(type, url)))).message).toMatch(
        /^The address is not allowed/,
      );
    },
  );

  it('trusts the authorities it was given, and no other', async () => {
    const refused = await failure(sender.send(type, callTo(type, secure.url)));
    expect(refused.message).toMatch(/certificate of the other side is not trusted/);
    const trusting = createSender({ allow_private_networks: true, ca });
    expect(await trusting.send(type, callTo(type, secure.url))).toContain('HTTP 200');
    await trusting.stop();
  });

  it('takes hostile names for text', async () => {
    const name = 'x\r\nBcc: a@b <!channel> @channel [l](http://e) "}]}\u202e';
    const hostile: AlertFacts = { ...SAMPLE_ALERT, database_name: name, title: name, server_name: name };
    await send({ alerts: [hostile] });
    const request = only();
    const all = JSON.stringify(request.json());
    expect(all).not.toMatch(/\u202e/);
    if (type === 'slack') expect(all).not.toContain('<!channel>');
    if (type === 'mattermost') expect(all).not.toMatch(/@channel|\[l\]/);
    if (type === 'teams') expect(all).not.toContain('"TextBlock"');
  });

  it('has no secret in what a preview shows', () => {
    const channel = channelOf(type) ?? expect.fail();
    expect(channel.body(message())).not.toContain(CANARY);
  });

  it('tells of several at once, or says that it does not', async () => {
    const channel = channelOf(type) ?? expect.fail();
    const others = Array.from({ length: 60 }, (_, index) => ({ ...SAMPLE_ALERT, alert_id: index + 2 }));
    if (!channel.groups) return expect(channel.template).toBeUndefined();
    await send({ alerts: [SAMPLE_ALERT, ...others] });
    expect(only().body.length).toBeLessThan(200_000);
    if (type === 'teams') expect(only().body.length).toBeLessThan(28_000);
  });

  const { template } = channelOf(type) ?? {};
  if (template === 'json')
    it('sends the text of a template, with values as text, and its own words where that is no JSON', async () => {
      const alerts: Message['alerts'] = [{ ...SAMPLE_ALERT, database_name: '"}\n<!here> @all' }];
      await send({ alerts, template: '{"text": "{{.DatabaseName}} {{.Severity}}", "n": {{.MetricValue}}}' });
      const { text, n } = Object(only().json());
      expect(text).toMatch(/^\\?"\}.*warning$/);
      expect(n).toBe(92.5);
      if (type === 'slack') expect(text).toContain('&lt;!here&gt;');
      if (type === 'mattermost') expect(text).not.toContain('@all');
      peer.requests.length = 0;
      await send({ alerts: [{ ...SAMPLE_ALERT, metric_value: null }], template: '{"n": {{.MetricValue}}}' });
      expect(Object.keys(Object(only().json()))).not.toEqual(['n']);
    });
});

it('the webhook uses its method and every kind of credentials', async () => {
  const forms = [
    ['none', undefined, {}],
    ['basic', 'user:pass', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['bearer', 'abc', { authorization: 'Bearer abc' }],
    ['api_key', 'X-Key: abc', { 'x-key': 'abc' }],
  ] as const;
  for (const method of ['GET', 'POST', 'PUT', 'PATCH'] as const)
    for (const [auth_type, credentials, expected] of forms) {
      peer.requests.length = 0;
      const call = callTo('webhook', peer.url);
      const secrets = credentials === undefined ? {} : { auth_credentials: new Secret(credentials) };
      const config = { endpoint_url: `${peer.url}/hook?a=b`, http_method: method, auth_type };
      await sender.send('webhook', { ...call, config, secrets });
      const { authorization, 'x-key': key } = only().headers;
      expect([only().method, only().url]).toEqual([method, '/hook?a=b']);
      expect({ ...(authorization && { authorization }), ...(key && { 'x-key': key }) }).toEqual(expected);
      expect(only().json()).toHaveProperty('alerts');
    }
});

it('PagerDuty and Opsgenie are told of one alert by one key: opened, acknowledged, resolved', async () => {
  const cleared = { ...SAMPLE_ALERT, status: 'cleared' as const, cleared_at: TIMESTAMP };
  for (const type of ['pagerduty', 'opsgenie'] as const)
    for (const kind of ['fire', 'reminder', 'acknowledge', 'clear'] as const)
      await sender.send(
        type,
        callTo(type, peer.url, message({ kind, alerts: [kind === 'clear' ? cleared : SAMPLE_ALERT] })),
      );
  const events = peer.requests.slice(0, 4).map((request) => Object(request.json()));
  expect(events.map(({ event_action }) => event_action)).toEqual([
    'trigger',
    'trigger',
    'acknowledge',
    'resolve',
  ]);
  expect(new Set(events.map(({ dedup_key }) => dedup_key)).size).toBe(1);
  const alias = Object(peer.requests[4]?.json()).alias;
  expect(peer.requests.slice(4).map(({ url }) => url)).toEqual([
    '/v2/alerts',
    '/v2/alerts',
    `/v2/alerts/${alias}/acknowledge?identifierType=alias`,
    `/v2/alerts/${alias}/close?identifierType=alias`,
  ]);
});

it('Alertmanager ends what was milder, and all of it when the alert is cleared', async () => {
  const open = (body: string) =>
    JSON.parse(body)
      .filter(({ endsAt }: { endsAt: string }) => endsAt > TIMESTAMP)
      .map(({ labels }: { labels: { severity: string } }) => labels.severity);
  await sender.send('alertmanager', callTo('alertmanager', peer.url));
  await sender.send(
    'alertmanager',
    callTo('alertmanager', peer.url, message({ alerts: [{ ...SAMPLE_ALERT, severity: 'critical' }] })),
  );
  const cleared = { ...SAMPLE_ALERT, status: 'cleared' as const, cleared_at: TIMESTAMP };
  await sender.send(
    'alertmanager',
    callTo('alertmanager', peer.url, message({ kind: 'clear', alerts: [cleared] })),
  );
  expect(peer.requests.map(({ body }) => open(body))).toEqual([['warning'], ['critical'], []]);
  const labels = peer.requests.map(({ body }) => JSON.parse(body)[1].labels);
  expect(labels[0]).toEqual(labels[2]);
});
