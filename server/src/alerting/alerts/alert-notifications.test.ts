// From an alert that is written to the message that arrives: what fires, becomes more severe and clears is told, each once
// and in the transaction that changes it.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { claimJob } from '../../kernel/jobs.queries.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { type OutboxScene, outboxScene } from '../../testing/channels/outbox-scene.ts';
import { type AlertChanges, writeChanges } from '../alerter/changes.ts';
import { alertsRoutes } from './alerts.routes.ts';

let scene: OutboxScene;
let epoch: number;
beforeAll(async () => {
  scene = await outboxScene(alertsRoutes);
  const claim = { name: 'alerter', owner: 'test', every_seconds: 0, lease_seconds: 3600 };
  ({ epoch } = await scene.api.db.one<{ epoch: number }>(claimJob(claim)));
});
afterAll(() => scene.stop());
beforeEach(() => scene.reset());

const none: AlertChanges = {
  fired: [],
  reopened: [],
  updated: [],
  cleared: [],
  pending: [],
  pendingEnded: [],
  causes: [],
  released: [],
};

async function write(changes: Partial<AlertChanges>) {
  const { db } = scene.api;
  const principal = systemPrincipal('server');
  const signal = new AbortController().signal;
  const written = await writeChanges(
    { db, clock: scene.clock, log: silentLog, principal, signal },
    { ...none, ...changes },
    { lease: { name: 'alerter', epoch }, open: [] },
  );
  return written ?? expect.fail('somebody else has the lease');
}

const judged = {
  metric_value: 90,
  operator: '>',
  threshold_value: 80,
  threshold_source: 'built_in',
  severity: 'warning',
  title: 'A disk fills up',
  description: 'Nearly full.',
  sampled_at: '2026-01-01T00:00:00Z',
} as const;

const fired = (connection_id: number, object_name: string) => ({
  ...judged,
  ...{ connection_id, object_name, raised_by: 'rule:disk_usage_percent', database_name: '' },
  alert_type: 'threshold' as const,
  rule_id: null,
  probe_name: 'pg_sys_disk_info',
  metric_name: 'pg_sys_disk_info.used_percent',
  metric_unit: 'percent',
});

const told = async () => {
  scene.clock.advance(60_000);
  await scene.run();
  return scene.arrived().map(({ kind, alert_ids }) => [kind, ...alert_ids]);
};

it('tells what fires, what becomes more severe, and what clears', async () => {
  await scene.channel('all');
  const { target } = await scene.server();
  const { fired: made } = await write({ fired: [fired(target, '/data')] });
  const id = made[0]?.id ?? expect.fail('it did not fire');
  expect(await told()).toEqual([['alert_fire', id]]);
  await write({ updated: [{ id, ...judged, metric_value: 95, well_samples: 0 }] });
  expect(await told()).toHaveLength(1);
  await write({ updated: [{ id, ...judged, severity: 'critical', well_samples: 0 }] });
  expect((await told()).at(-1)).toEqual(['alert_fire', id]);
  await write({ updated: [{ id, ...judged, severity: 'warning', well_samples: 0 }] });
  expect(await told()).toHaveLength(2);
  await write({ cleared: [{ id, message: null }] });
  expect((await told()).at(-1)).toEqual(['alert_clear', id]);
  expect(await told()).toHaveLength(3);
});

it('does not tell what follows from another alert, neither that it fires nor that it clears', async () => {
  await scene.channel('all');
  const { target } = await scene.server();
  const cause = { ...fired(target, '/data'), raised_by: 'rule:disk_usage_critical' };
  const of = fired(target, '/data');
  const { fired: made } = await write({ fired: [cause, of], causes: [{ of, cause }] });
  const critical = made.find(({ raised_by }) => raised_by === cause.raised_by);
  expect(await told()).toEqual([['alert_fire', critical?.id]]);
  await write({ cleared: made.map(({ id }) => ({ id, message: null })) });
  expect((await told()).slice(1)).toEqual([['alert_clear', critical?.id]]);
});

it('keeps a clear to where the alert was told', async () => {
  const { target } = await scene.server();
  const { fired: made } = await write({ fired: [fired(target, '/data')] });
  await scene.channel('late');
  await write({ cleared: made.map(({ id }) => ({ id, message: null })) });
  expect(await told()).toEqual([]);
});

it('names the cluster of the server, and keeps apart how it ended', async () => {
  await scene.channel('all');
  const { target } = await scene.server();
  const alone = await makeConnection(scene.api.db, { owner_id: scene.api.actors.owner.user_id });
  await scene.api.db.run(sql`/* test.lone_cluster */
    insert into matriarch.clusters (name, auto_cluster_key) values ('as it was called', ${`standalone:${alone}`})`);
  const { fired: made } = await write({ fired: [fired(target, '/data'), fired(alone, '/data')] });
  await told();
  const sent = () => scene.peer.requests.flatMap(({ body }) => JSON.parse(body).alerts);
  expect(sent()).toMatchObject([
    { cluster_name: expect.stringMatching(/^herd /), cleared_because: null },
    { cluster_name: null },
  ]);
  scene.peer.requests.length = 0;
  const [one, other] = made.map(({ id }) => id);
  await write({
    cleared: [
      { id: one ?? 0, message: 'The disk is gone.' },
      { id: other ?? 0, message: null },
    ],
  });
  await told();
  expect(sent()).toMatchObject([
    {
      cluster_name: expect.stringMatching(/^herd /),
      cleared_because: 'The disk is gone.',
      description: 'The disk is gone.',
    },
    { cluster_name: null, cleared_because: null, description: judged.description },
  ]);
});
