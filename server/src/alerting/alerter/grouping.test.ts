// What goes into one message, and how many messages there are: alerts of moments together, and never a storm.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OutboxScene, outboxScene } from '../../testing/channels/outbox-scene.ts';
import type { AlertFacts } from '../channels/alert-facts.ts';

let scene: OutboxScene;
beforeAll(async () => {
  scene = await outboxScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.reset());

describe('what is told together', () => {
  it('alerts of one cluster within moments, but neither those of another nor by channels that keep alerts', async () => {
    await scene.channel('grouped');
    await scene.channel('pager', {
      channel_type: 'pagerduty',
      api_key: 'k',
      endpoint_url: `${scene.peer.url}/pager`,
    });
    const [here, there] = [await scene.server(), await scene.server()];
    const a = await scene.alert(here.target);
    await scene.queue([scene.fire(a)], 30);
    scene.clock.advance(10_000);
    const [b, c] = [await scene.alert(here.target), await scene.alert(there.target)];
    await scene.queue([scene.fire(b), scene.fire(c)], 30);
    const deliveries = scene.process({ group_seconds: 30 });
    await scene.run(deliveries);
    expect(scene.arrived().map(({ path }) => path)).toEqual(['pager', 'pager', 'pager']);
    scene.clock.advance(20_000);
    await scene.run(deliveries);
    scene.clock.advance(60_000);
    await scene.run(deliveries);
    const grouped = scene.arrived().filter(({ path }) => path === 'grouped');
    expect(grouped.map(({ alert_ids }) => alert_ids)).toEqual([[a.alert_id, b.alert_id], [c.alert_id]]);
  });

  it('a new alert at once after the first message of a quiet channel, and the next ones in a minute', async () => {
    await scene.channel('grouped');
    const { target } = await scene.server();
    const deliveries = scene.process({ group_seconds: 30 });
    const start = scene.clock.now();
    const times: number[] = [];
    /** Seconds after the start of each message for an alert that fires at `at`. */
    const fire = async (at: number) => {
      scene.clock.advance(start + at * 1000 - scene.clock.now());
      await scene.queue([scene.fire(await scene.alert(target))], 0);
    };
    const watch = async (until: number) => {
      while (scene.clock.now() < start + until * 1000) {
        const before = scene.peer.requests.length;
        await scene.run(deliveries);
        for (const _ of scene.peer.requests.slice(before)) times.push((scene.clock.now() - start) / 1000);
        scene.clock.advance(2000);
      }
    };
    for (const at of [0, 10, 20, 30]) {
      await fire(at);
      await watch(at + 10);
    }
    await watch(400);
    // After quiet minutes the same again: rest gives one spare message, never more.
    for (const at of [400, 410, 420]) {
      await fire(at);
      await watch(at + 10);
    }
    await watch(600);
    expect(times).toEqual([0, 10, 60, 400, 410, 460]);
  });

  it('one message a minute after the first two, with all that has become due meanwhile, of whatever cluster', async () => {
    await scene.channel('grouped');
    const servers = [await scene.server(), await scene.server(), await scene.server()];
    const told: AlertFacts[] = [];
    const deliveries = scene.process({ group_seconds: 30 });
    const times: number[] = [];
    const start = scene.clock.now();
    for (let step = 0; step < 60; step += 1) {
      const alert = await scene.alert(servers[step % 3]?.target ?? 0);
      told.push(alert);
      await scene.queue([scene.fire(alert), ...told.slice(-2, -1).map((one) => scene.clear(one))], 30);
      const before = scene.peer.requests.length;
      await scene.run(deliveries);
      for (const _ of scene.peer.requests.slice(before)) times.push(scene.clock.now() - start);
      scene.clock.advance(10_000);
    }
    const [between = 0, ...rest] = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(between).toBe(10_000);
    // The spare message comes early, so the third keeps its distance from the first.
    expect(rest).toEqual([50_000, ...rest.slice(1).map(() => 60_000)]);
    for (let step = 0; step < 5; step += 1) {
      await scene.run(deliveries);
      scene.clock.advance(60_000);
    }
    expect(await scene.states()).toEqual({ sent: 119 });
    const fired = scene.arrived().flatMap(({ kind, alert_ids }) => (kind === 'alert_fire' ? alert_ids : []));
    expect(fired.toSorted((a, b) => a - b)).toEqual(told.map(({ alert_id }) => alert_id));
  });

  it('what went together is tried again together, and a template is for one', async () => {
    await scene.channel('one');
    await scene.channel('own', {
      template_alert_fire: '{"notification_type": "own", "alerts": [{"alert_id": {{.AlertID}}}]}',
    });
    const { target } = await scene.server();
    const alerts = [await scene.alert(target), await scene.alert(target)];
    await scene.queue(
      alerts.map((alert) => scene.fire(alert)),
      30,
    );
    scene.clock.advance(30_000);
    scene.peer.answers.set('/one', { status: 503 });
    const deliveries = scene.process({ group_seconds: 30 });
    await scene.run(deliveries);
    const late = await scene.alert(target);
    await scene.queue([scene.fire(late)], 30);
    scene.peer.answers.clear();
    scene.clock.advance(30_000);
    await scene.run(deliveries);
    scene.clock.advance(60_000);
    await scene.run(deliveries);
    const ids = alerts.map(({ alert_id }) => alert_id);
    const one = scene.arrived().filter(({ path }) => path === 'one');
    expect(one.map(({ alert_ids }) => alert_ids)).toEqual([ids, ids, [late.alert_id]]);
    expect(one[0]?.key).toBe(one[1]?.key);
    expect(
      scene
        .arrived()
        .filter(({ path }) => path === 'own')
        .map(({ alert_ids }) => alert_ids.length),
    ).toEqual([1, 1, 1]);
  });
});
