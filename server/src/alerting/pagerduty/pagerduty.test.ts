// What comes back from PagerDuty, over real HTTP: alerts are told to a stand-in of its Events API, and its webhooks, signed as
// it signs them, go to the product. Who is not PagerDuty changes nothing and learns nothing.

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditRoutes } from '../../identity/audit/audit.routes.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createRateLimit } from '../../kernel/rate-limit.ts';
import { sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { type OutboxScene, outboxScene } from '../../testing/channels/outbox-scene.ts';
import { channelsOf } from '../../testing/rooms/channels.ts';
import { pagerdutyRoom } from '../../testing/rooms/pagerduty.ts';
import { clearAlerts, insertFired, updateOpen } from '../alerter/changes.queries.ts';
import { alertsRoutes } from '../alerts/alerts.routes.ts';
import { queueAlertNotifications } from '../alerts/outbox.service.ts';
import { receivePagerDutyWebhook } from './pagerduty.service.ts';

const SECRET = 'canary-signing-secret-0123456789';
const KEY_NAME = 'x-pagerduty-signature';

let scene: OutboxScene;
let url: string;
beforeAll(async () => {
  scene = await outboxScene(alertsRoutes, auditRoutes, pagerdutyRoom);
  ({ url } = await scene.api.api.listen());
});
afterAll(() => scene.stop());
beforeEach(() => scene.reset());
const later = (seconds = 1) => iso(systemClock.now() + seconds * 1000);
const as = () => ({ token: scene.token });

const pager = (name = 'pager', more: object = {}) =>
  scene.channel(name, { channel_type: 'pagerduty', api_key: 'k', signing_secret: SECRET, ...more });

let made = 0;
/** Alerts that fire together and are told. */
async function fire(connection_id: number, count = 1): Promise<number[]> {
  const fired = Array.from({ length: count }, () => {
    made += 1;
    return {
      ...{
        alert_type: 'threshold' as const,
        raised_by: 'rule:disk_usage_percent',
        rule_id: null,
        connection_id,
      },
      ...{ database_name: '', object_name: `/d${made}`, probe_name: 'pg_sys_disk_info', metric_name: 'used' },
      ...{ metric_value: 90, metric_unit: 'percent', operator: '>' as const, threshold_value: 80 },
      ...{ threshold_source: 'built_in' as const, severity: 'warning' as const, title: 'A disk fills up' },
      ...{ description: 'Nearly full.', sampled_at: '2026-01-01T00:00:00Z' },
    };
  });
  const ids = (await insertFired(scene.api.db, fired)).map(({ id }) => id);
  await queueAlertNotifications({ db: scene.api.db, clock: scene.clock }, { kind: 'fire', ids });
  await scene.run();
  return ids;
}

/** The keys that PagerDuty was sent, by the path of the channel. */
const keysOf = (name = 'pager'): string[] =>
  scene.peer.requests
    .filter((request) => request.url === `/${name}`)
    .map((request) => String(Object(request.json()).dedup_key));

let events = 0;
function eventOf(incident_key: string, more: object = {}): object {
  events += 1;
  return {
    event: {
      id: `event-${events}`,
      event_type: 'incident.acknowledged',
      resource_type: 'incident',
      occurred_at: later(),
      agent: { type: 'user_reference', id: 'PXPGF42', summary: 'Ada Lovelace' },
      client: { name: 'PagerDuty' },
      data: { id: 'PT4KHLK', type: 'incident', number: 1234, incident_key, title: 'A disk fills up' },
      ...more,
    },
  };
}

const signed = (body: string, secret = SECRET) =>
  `v1=${createHmac('sha256', secret).update(body).digest('hex')}`;

async function post(id: number, body: string, signature: string | undefined = signed(body)) {
  const response = await fetch(`${url}/api/v1/notification-channels/${id}/pagerduty`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature !== undefined && { [KEY_NAME]: signature }),
    },
    body,
  });
  return { status: response.status, text: await response.text() };
}
const send = (id: number, event: object) => post(id, JSON.stringify(event));

const alertOf = async (id: number) => Object((await scene.api.call(`GET /api/v1/alerts/${id}`, as())).body);
const statusOf = async (id: number): Promise<string> => (await alertOf(id)).alert.status;
const ok = (status: string) => ({ status: 200, text: JSON.stringify({ status }) });

/** A channel, an alert that it was told of, and the key of that. */
async function told(): Promise<{ channel: number; alert: number; key: string }> {
  const channel = await pager();
  const [alert = 0] = await fire((await scene.server()).target);
  const [key = ''] = keysOf();
  return { channel, alert, key };
}

describe('an acknowledgement in PagerDuty', () => {
  it('acknowledges the alert here, with who did it, in its history and in the audit log', async () => {
    const { channel, alert, key } = await told();
    const event = eventOf(key);
    expect(await send(channel, event)).toEqual(ok('acknowledged'));
    const { alert: shown, events: history } = await alertOf(alert);
    expect(shown).toMatchObject({
      status: 'acknowledged',
      acknowledged_by: 'PagerDuty: Ada Lovelace',
      ack_message: 'Acknowledged in PagerDuty as incident 1234.',
      false_positive: false,
    });
    expect(history.at(-1)).toMatchObject({ event_type: 'acknowledged', actor: 'PagerDuty: Ada Lovelace' });
    const audit = await scene.api.call('GET /api/v1/audit?action=alert.acknowledge', as());
    expect(Object(audit.body).events[0]).toMatchObject({
      actor_name: 'PagerDuty: Ada Lovelace',
      target_id: String(alert),
      details: { channel_id: channel, event_id: `event-${events}` },
    });
  });

  it('is told to the other channels that want to know, and not back', async () => {
    await pager('other');
    const { channel, key } = await told();
    scene.peer.requests.length = 0;
    expect(await send(channel, eventOf(key))).toEqual(ok('acknowledged'));
    await scene.run();
    expect(scene.peer.requests.map((request) => [request.url, Object(request.json()).event_action])).toEqual([
      ['/other', 'acknowledge'],
    ]);
  });

  it('finds each of several alerts that fired together', async () => {
    await scene.channel('grouped');
    const channel = await pager();
    const alerts = await fire((await scene.server()).target, 3);
    const keys = keysOf();
    expect(new Set(keys).size).toBe(3);
    expect(await send(channel, eventOf(keys[1] ?? ''))).toEqual(ok('acknowledged'));
    expect(await Promise.all(alerts.map(statusOf))).toEqual(['active', 'acknowledged', 'active']);
  });

  it('is of the same incident when the server has moved meanwhile, which is resolved in the end', async () => {
    const { channel, alert, key } = await told();
    const { connection_id } = (await alertOf(alert)).alert;
    await scene.api.db.run(sql`/* test.move */
      update matriarch.connections set host = 'elsewhere.example.com', port = 6543 where id = ${connection_id}`);
    expect(await send(channel, eventOf(key))).toEqual(ok('acknowledged'));
    await clearAlerts(scene.api.db, [{ id: alert, message: null }]);
    await queueAlertNotifications({ db: scene.api.db, clock: scene.clock }, { kind: 'clear', ids: [alert] });
    await scene.run();
    expect(Object(scene.peer.requests.at(-1)?.json())).toMatchObject({
      event_action: 'resolve',
      dedup_key: key,
    });
  });

  it('takes either signature while the secret is replaced', async () => {
    const { channel, alert, key } = await told();
    const body = JSON.stringify(eventOf(key));
    const both = `${signed(body, 'the-secret-before-this-one')},${signed(body)}`;
    expect(await post(channel, body, both)).toEqual(ok('acknowledged'));
    expect(await statusOf(alert)).toBe('acknowledged');
  });

  it('is taken back there, but not where somebody acknowledged it here', async () => {
    const { channel, alert, key } = await told();
    const back = (seconds: number) =>
      eventOf(key, { event_type: 'incident.unacknowledged', occurred_at: later(seconds) });
    expect(await send(channel, eventOf(key))).toEqual(ok('acknowledged'));
    expect(await send(channel, back(2))).toEqual(ok('active'));
    const body = { alert_id: alert, false_positive: true };
    expect((await scene.api.call('POST /api/v1/alerts/acknowledge', { ...as(), body })).status).toBe(200);
    expect(await send(channel, back(3))).toEqual(ok('ignored'));
    expect(await statusOf(alert)).toBe('acknowledged');
  });

  it('shows the name that it was sent with on one line, and not all of a long one', async () => {
    const { channel, alert, key } = await told();
    const agent = { type: 'user_reference', summary: `Ada\n\u202e<b>${'x'.repeat(5000)}` };
    expect(await send(channel, eventOf(key, { agent }))).toEqual(ok('acknowledged'));
    const { acknowledged_by } = (await alertOf(alert)).alert;
    expect(acknowledged_by).toMatch(/^PagerDuty: Ada <b>x+$/);
    expect(acknowledged_by.length).toBeLessThan(120);
  });
});

describe('an event that comes again, or late', () => {
  it('does nothing the second time, whatever happened between', async () => {
    const { channel, alert, key } = await told();
    const event = eventOf(key, { occurred_at: later(3600) });
    expect(await send(channel, event)).toEqual(ok('acknowledged'));
    await scene.api.call(`DELETE /api/v1/alerts/acknowledge?alert_id=${alert}`, as());
    expect(await send(channel, event)).toEqual(ok('ignored'));
    expect(await statusOf(alert)).toBe('active');
  });

  it('does it once when it comes three times at once', async () => {
    const { channel, key } = await told();
    const event = eventOf(key);
    const answers = await Promise.all([send(channel, event), send(channel, event), send(channel, event)]);
    expect(answers.map(({ text }) => text).sort()).toEqual([
      ok('acknowledged').text,
      ok('ignored').text,
      ok('ignored').text,
    ]);
  });

  it('does not silence what became worse since', async () => {
    const { channel, alert, key } = await told();
    const before = iso(systemClock.now() - 1000);
    const worse = {
      metric_value: 99,
      operator: '>' as const,
      threshold_value: 95,
      severity: 'critical' as const,
    };
    const more = { threshold_source: 'built_in' as const, title: null, description: null, well_samples: 0 };
    await updateOpen(scene.api.db, [{ id: alert, ...worse, ...more, sampled_at: later(0) }]);
    expect(await send(channel, eventOf(key, { occurred_at: before }))).toEqual(ok('ignored'));
    expect(await statusOf(alert)).toBe('active');
  });

  it('does not touch what has cleared, nor what fired after it', async () => {
    const { channel, alert, key } = await told();
    await clearAlerts(scene.api.db, [{ id: alert, message: null }]);
    const { connection_id } = (await alertOf(alert)).alert;
    const [next = 0] = await fire(connection_id);
    expect(await send(channel, eventOf(key))).toEqual(ok('ignored'));
    expect([await statusOf(alert), await statusOf(next)]).toEqual(['cleared', 'active']);
  });

  it('is ignored where it is about another channel, another key, or something else', async () => {
    const { channel, alert, key } = await told();
    const stranger = await pager('stranger', { is_estate_default: false });
    const other = `matriarch-${alert}-000000000000`;
    const ping = { event_type: 'pagey.ping', data: { message: 'Hello', type: 'ping' } };
    for (const [id, event] of [
      [stranger, eventOf(key)],
      [channel, eventOf(other)],
      [channel, eventOf('of nobody')],
      [channel, eventOf('', { data: { incident_key: null } })],
      [channel, eventOf(key, ping)],
      [channel, eventOf(key, { event_type: 'incident.resolved' })],
      [channel, eventOf(key, { event_type: 'toString' })],
      [channel, eventOf(key, { occurred_at: 'yesterday' })],
      [channel, eventOf(key, { agent: { type: 'inbound_integration_reference', summary: 'Matriarch' } })],
      [channel, { event: null }],
    ] as const)
      expect([await send(id, event), event]).toEqual([ok('ignored'), event]);
    for (const body of ['', '[', 'null', '[[]]']) expect(await post(channel, body)).toEqual(ok('ignored'));
    expect(await statusOf(alert)).toBe('active');
  });
});

describe('somebody who is not PagerDuty', () => {
  it('hears the same whatever is wrong, and is in the audit log', async () => {
    const { channel, alert, key } = await told();
    const none = await pager('none', { signing_secret: undefined });
    const hook = await scene.channel('hook');
    const off = await pager('off', { enabled: false });
    const body = JSON.stringify(eventOf(key));
    const answers = [
      await post(channel, body, ''),
      await post(channel, body, 'v1='),
      await post(channel, body, `v1=${'0'.repeat(64)}`),
      await post(channel, body, signed(`${body} `)),
      await post(channel, body, signed(body).replace('v1', 'v0')),
      await post(channel, body, signed(body, 'another secret of theirs')),
      await post(none, body),
      await post(hook, body),
      await post(off, body),
      await post(2_000_000_000, body),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 401, text: '{"error":"The signature is not valid."}' })]),
    );
    const bare = await scene.api.call(`POST /api/v1/notification-channels/${channel}/pagerduty`, as());
    expect([bare.status, bare.error]).toEqual([401, 'The signature is not valid.']);
    expect(await statusOf(alert)).toBe('active');
    await scene.api.refusals.flush();
    const { total } = await scene.api.db.one<{ total: number }>(sql`/* test.refused */
      select sum(occurrences)::int as total from matriarch.audit_events
      where outcome = 'refused' and target_id = 'receivePagerDutyWebhook'`);
    expect(total).toBeGreaterThanOrEqual(answers.length);
  });

  it('cannot send more than 256 KiB', async () => {
    const { channel } = await told();
    expect((await post(channel, ' '.repeat(262_145))).status).toBe(413);
    expect(await post(channel, ' '.repeat(262_144))).toEqual(ok('ignored'));
  });

  it('is slowed down, and PagerDuty is not', async () => {
    const { channel, alert, key } = await told();
    const { db, parts } = scene.api;
    const clock = scene.clock;
    const wrong_signatures = createRateLimit({ limit: 2, window_ms: 60_000, clock });
    const deps = { ...(await channelsOf(parts)), wrong_signatures };
    const log = { info: () => undefined };
    const ctx = { db, clock, log: Object.assign(Object.create(null), log), principal: undefined };
    const body = Buffer.from(JSON.stringify(eventOf(key)));
    const ask = (signature: string) =>
      receivePagerDutyWebhook({ ...ctx, signal: new AbortController().signal }, deps, {
        ...{ channel_id: channel, body, signature, address: '192.0.2.1' },
      }).catch(({ status }) => status);
    expect([await ask('v1=0'), await ask('v1=0'), await ask('v1=0')]).toEqual([401, 401, 429]);
    expect(await ask(signed(String(body)))).toEqual({ status: 'acknowledged' });
    expect(await statusOf(alert)).toBe('acknowledged');
  });
});

describe('the signing secret', () => {
  it('is stored and never shown; it stays when the channel leads elsewhere, for it goes nowhere', async () => {
    const { channel, key } = await told();
    const path = `/api/v1/notification-channels/${channel}`;
    const put = (body: object) => scene.api.call(`PUT ${path}`, { ...as(), body });
    const moved = await put({ endpoint_url: `${scene.peer.url}/moved`, api_key: 'another' });
    expect([moved.status, Object(moved.body).signing_secret_set]).toEqual([200, true]);
    expect(moved.text).not.toContain(SECRET);
    expect((await scene.api.call(`GET ${path}`, as())).text).not.toContain(SECRET);
    expect(await send(channel, eventOf(key))).toEqual(ok('acknowledged'));
    expect((await put({ signing_secret: 'short' })).error).toMatch(/signing_secret must be/);
    expect(Object((await put({ signing_secret: '' })).body).signing_secret_set).toBe(false);
    expect((await send(channel, eventOf(key))).status).toBe(401);
    const audit = await scene.api.call('GET /api/v1/audit?limit=500', as());
    expect(audit.text).not.toContain(SECRET);
  });
});
