// What is put into the outbox and to whom, and what is told of it: the service that the alerter calls, the operations on
// deliveries and the command line.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../cli/cli.ts';
import type { CliIo } from '../../cli/command.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { type OutboxScene, outboxScene } from '../../testing/channels/outbox-scene.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { channelOverridesRoutes } from '../channel-overrides/channel-overrides.routes.ts';
import { queueNotifications, type Transition } from './outbox.service.ts';

let scene: OutboxScene;
beforeAll(async () => {
  scene = await outboxScene(channelOverridesRoutes);
});
afterAll(() => scene.stop());
beforeEach(() => scene.reset());

interface Queued {
  alert_id: number;
  kind: string;
  sequence: number;
  name: string;
}

const queued = async () =>
  (
    await scene.api.db.rows<Queued>(sql`/* test.queued */
      select d.alert_id, d.kind, d.sequence, n.name
      from matriarch.notifications d
      join matriarch.notification_channels n on n.id = d.channel_id
      order by d.id`)
  ).map(({ alert_id, kind, sequence, name }) => `${name} ${alert_id} ${kind} ${sequence}`);

const call = (request: string, token = scene.token) => scene.api.call(request, { token });

describe('queueNotifications', () => {
  it('goes to the channels of each connection, in three statements for all transitions', async () => {
    await scene.channel('usual');
    const extra = await scene.channel('extra', { is_estate_default: false });
    await scene.channel('off', { enabled: false });
    const [a, b] = [await scene.server(), await scene.server()];
    await scene.api.call(`PUT /api/v1/channel-overrides/server/${b.target}/${extra}`, {
      token: scene.token,
      body: { enabled: true },
    });
    const alerts = await Promise.all(
      Array.from({ length: 50 }, (_, at) => scene.alert(at % 2 ? a.target : b.target)),
    );
    const db = countedDb(scene.api.db);
    const fires = alerts.map((alert) => scene.fire(alert));
    await queueNotifications({ db, clock: scene.clock }, fires);
    expect(db.sent.length).toBeLessThanOrEqual(3);
    expect(await scene.states()).toEqual({ queued: 75 });
    db.reset();
    const all = [
      ...alerts.map((alert) => scene.clear(alert)),
      ...alerts.map((alert) => scene.fire(alert, 2)),
    ];
    await queueNotifications({ db, clock: scene.clock }, all);
    expect(db.sent.length).toBeLessThanOrEqual(3);
    expect(await scene.states()).toEqual({ queued: 225 });
  });

  it('waits for others of the cluster, and a moment only where the alert names its cause', async () => {
    await scene.channel('usual', { channel_type: 'slack', webhook_url: 'http://127.0.0.1:9/hook' });
    const { target } = await scene.server();
    const [known, other] = [await scene.alert(target), await scene.alert(target)];
    const fire = scene.fire(known);
    const facts = { ...fire.facts, metric_name: 'pg_stat_activity.max_lock_wait_seconds' };
    await scene.queue([{ ...fire, facts }, scene.fire(other), scene.clear(known)], 30);
    const rows = await scene.api.db.rows<{
      alert_id: number;
      kind: string;
      seconds: number;
    }>(sql`/* test.due */
      select alert_id, kind, extract(epoch from due_at - queued_at)::int as seconds
      from matriarch.notifications order by id`);
    expect(rows).toEqual([
      { alert_id: known.alert_id, kind: 'fire', seconds: 3 },
      { alert_id: other.alert_id, kind: 'fire', seconds: 30 },
      { alert_id: known.alert_id, kind: 'clear', seconds: 30 },
    ]);
  });

  it('queues a transition once, however often it is asked to', async () => {
    await scene.channel('one');
    const alert = await scene.alert((await scene.server()).target);
    await scene.queue([scene.fire(alert)]);
    await scene.queue([scene.fire(alert), scene.clear(alert)]);
    await scene.queue([scene.fire(alert), scene.clear(alert), scene.fire(alert, 2)]);
    const id = alert.alert_id;
    expect(await queued()).toEqual([`one ${id} fire 1`, `one ${id} clear 1`, `one ${id} fire 2`]);
  });

  it('tells that it is over only where it was told, and of an acknowledgement only who wants it', async () => {
    await scene.channel('before', { reminder_enabled: true });
    await scene.channel('pager', {
      channel_type: 'pagerduty',
      api_key: 'k',
      endpoint_url: `${scene.peer.url}/pager`,
    });
    const gone = await scene.channel('gone');
    const alert = await scene.alert((await scene.server()).target);
    await scene.queue([scene.fire(alert)]);
    await scene.channel('after');
    await scene.api.call(`PUT /api/v1/notification-channels/${gone}`, {
      token: scene.token,
      body: { enabled: false },
    });
    const also = (kind: Transition['kind']): Transition => ({ ...scene.clear(alert), kind });
    await scene.queue([also('acknowledge'), also('reminder'), also('clear')]);
    const id = alert.alert_id;
    expect((await queued()).slice(3).sort()).toEqual(
      [
        `before ${id} clear 1`,
        `before ${id} reminder 1`,
        `pager ${id} acknowledge 1`,
        `pager ${id} clear 1`,
      ].sort(),
    );
  });

  it('undone with its transaction, it was never queued', async () => {
    await scene.channel('one');
    const alert = await scene.alert((await scene.server()).target);
    const undone = scene.api.db.transaction(async (db) => {
      await queueNotifications({ db, clock: scene.clock }, [scene.fire(alert)]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await scene.states()).toEqual({});
  });
});

describe('deliveries', () => {
  it('are told of an alert and of a channel, with every attempt, and nothing that the other side wrote', async () => {
    const id = await scene.channel('one', { auth_type: 'bearer', auth_credentials: 'canary-31ab' });
    const alert = await scene.alert((await scene.server()).target);
    await scene.queue([scene.fire(alert)]);
    scene.peer.answer = { status: 500, body: 'secret-words canary-31ab' };
    const deliveries = scene.process();
    await scene.run(deliveries);
    const failing = Object((await call(`GET /api/v1/alerts/${alert.alert_id}/deliveries`)).body);
    expect(failing).toMatchObject({
      total_count: 1,
      deliveries: [{ state: 'queued', channel_name: 'one', kind: 'fire' }],
    });
    expect(Date.parse(failing.deliveries[0].next_attempt_at)).toBe(scene.clock.now() + 5000);
    scene.peer.answer = { status: 202 };
    scene.clock.advance(5000);
    await scene.run(deliveries);
    const answer = await call(`GET /api/v1/notification-channels/${id}/deliveries?state=sent`);
    expect(Object(answer.body).deliveries[0]).toMatchObject({
      state: 'sent',
      next_attempt_at: null,
      title: alert.title,
      attempts: [
        { attempt: 1, outcome: 'failed', reply: 'The other side has a fault of its own. (HTTP 500)' },
        { attempt: 2, outcome: 'delivered', reply: 'Delivered. (HTTP 202)' },
      ],
    });
    expect(answer.text).not.toMatch(/secret-words|canary/);
  });

  it('are only those of connections that the caller can see', async () => {
    await scene.channel('one');
    const alert = await scene.alert((await scene.server()).target);
    await scene.queue([scene.fire(alert)]);
    const path = `GET /api/v1/alerts/${alert.alert_id}/deliveries`;
    expect((await call(path, scene.api.actors.other.session)).status).toBe(404);
    expect(Object((await call(path, scene.api.actors.owner.session)).body).total_count).toBe(1);
    expect((await call('GET /api/v1/alerts/999999/deliveries')).status).toBe(404);
    expect((await call('GET /api/v1/notification-channels/999999/deliveries')).status).toBe(404);
  });

  it('can be sent again, as another message, but not while they are being sent', async () => {
    await scene.channel('one');
    const alert = await scene.alert((await scene.server()).target);
    await scene.queue([scene.fire(alert)]);
    await scene.run();
    const [row] = await scene.api.db.rows<{ id: number }>(
      sql`/* test.id */ select id from matriarch.notifications`,
    );
    const path = `POST /api/v1/notifications/${row?.id}/resend`;
    expect((await call(path)).body).toEqual({ status: 'queued' });
    await scene.run();
    const keys = scene.arrived().map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
    await scene.api.db.run(
      sql`/* test.sending */ update matriarch.notifications set state = 'sending', lease_until = now()`,
    );
    expect((await call(path)).status).toBe(409);
    expect((await call('POST /api/v1/notifications/999999/resend')).status).toBe(404);
    expect((await call(path, scene.api.actors.owner.session)).status).toBe(403);
  });

  it('are summed up for each channel: what waits, what was given up, when one was last taken', async () => {
    const id = await scene.channel('one', { auth_type: 'bearer', auth_credentials: 'canary-31ab' });
    await scene.channel('idle', { is_estate_default: false });
    const alert = await scene.alert((await scene.server()).target);
    const summaries = async () => (await call('GET /api/v1/notification-channels/summaries')).body;
    const nothing = { waiting: 0, dead: 0, last_sent_at: null, retry_at: null, last_reply: null };
    expect(await summaries()).toEqual([
      { channel_id: id, ...nothing },
      { channel_id: id + 1, ...nothing },
    ]);
    await scene.queue([scene.fire(alert)]);
    await scene.run();
    const sent = { ...nothing, last_sent_at: new Date(scene.clock.now()).toISOString() };
    expect(await summaries()).toMatchObject([{ channel_id: id, ...sent }, nothing]);
    await scene.queue([scene.clear(alert)]);
    scene.peer.answer = { status: 503, body: 'secret-words canary-31ab' };
    await scene.run();
    expect(await summaries()).toMatchObject([
      {
        ...sent,
        waiting: 1,
        retry_at: new Date(scene.clock.now() + 5000).toISOString(),
        last_reply: 'The other side has a fault of its own. (HTTP 503)',
      },
      nothing,
    ]);
    scene.clock.advance(25 * 3_600_000);
    await scene.run();
    expect(await summaries()).toMatchObject([{ waiting: 0, dead: 1 }, nothing]);
  });

  it('by the command line', async () => {
    await scene.channel('one');
    const alert = await scene.alert((await scene.server()).target, { title: 'Told\u001b[31m' });
    await scene.queue([scene.fire(alert)]);
    await scene.run();
    const lines: string[] = [];
    const refuse = () => Promise.reject(new Error('not asked for'));
    const io: CliIo = {
      out: (line) => lines.push(line),
      err: (line) => lines.push(line),
      interactive: false,
      readSecret: () => Promise.resolve(new Secret('')),
      db: () => Promise.resolve(scene.api.database.db),
      migrate: refuse,
      clock: scene.clock,
      log: silentLog,
      config: () => {
        throw new Error('not asked for');
      },
    };
    expect(await runCli(io, ['notifications', 'list', '--alert', String(alert.alert_id)])).toBe(0);
    expect(lines.join('\n')).toMatch(/ID +QUEUED.*\n\d+ .* one +fire +sent +1 .*Told\?\[31m.*HTTP 200/);
    const id = /\n(\d+) /.exec(`\n${lines[1]}`)?.[1] ?? '';
    lines.length = 0;
    expect(await runCli(io, ['notifications', 'resend', id])).toBe(0);
    expect(lines).toEqual(['Queued.']);
    await scene.run();
    expect(scene.arrived()).toHaveLength(2);
    for (const args of [
      ['list', '--state', 'x'],
      ['list', '--limit', '0'],
      ['resend', 'x'],
      ['resend', '999999'],
    ])
      expect(await runCli(io, ['notifications', ...args])).toBe(1);
  });
});

describe('a trial', () => {
  const trial = async (id: number) =>
    Object((await call(`POST /api/v1/notification-channels/${id}/trial`)).body);

  it('shows what the other side answered, well or badly, without the secrets it repeats', async () => {
    const id = await scene.channel('one', { auth_type: 'bearer', auth_credentials: 'canary-31ab' });
    scene.peer.answer = { status: 202, body: '{"taken": true}' };
    expect(await trial(id)).toEqual({
      delivered: true,
      words: 'Delivered. (HTTP 202) Messages have no link to their alert. To add one, set api.public_url.',
      took_ms: expect.any(Number),
      answer: { status: 202, text: '{"taken": true}', is_cut: false },
    });
    scene.peer.answer = { status: 500, body: 'upstream is down; Bearer canary-31ab' };
    expect(await trial(id)).toMatchObject({
      delivered: false,
      words: 'The other side has a fault of its own. (HTTP 500)',
      answer: { status: 500, text: 'upstream is down; Bearer [redacted]', is_cut: false },
    });
    expect(await scene.states()).toEqual({});
    const [event] = await scene.api.db.rows(sql`/* test.trials */
      select action, outcome, details from matriarch.audit_events
      where target_kind = 'channel' and target_id = ${String(id)} order by id desc limit 1`);
    expect(event).toMatchObject({ action: 'channel.test', outcome: 'failed' });
    expect(JSON.stringify(event)).not.toContain('upstream');
  });

  it('reads a bounded part of an answer without end, and has none where nothing was said', async () => {
    const id = await scene.channel('one');
    scene.peer.answer = 'endless';
    const { delivered, answer } = await trial(id);
    expect([delivered, answer.is_cut, answer.text.length]).toEqual([true, true, 2000]);
    scene.peer.answer = 'cut';
    expect(await trial(id)).toMatchObject({ delivered: false, answer: null });
  });
});
