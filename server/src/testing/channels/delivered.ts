// Alerts that are queued, and what has to have arrived of them.
import { expect } from 'vitest';
import type { AlertFacts } from '../../alerting/channels/alert-facts.ts';
import type { OutboxScene } from './outbox-scene.ts';

/** So many alerts, fired and cleared. */
export async function queuedAlerts(scene: OutboxScene, count: number): Promise<AlertFacts[]> {
  const { target } = await scene.server();
  const alerts = await Promise.all(Array.from({ length: count }, () => scene.alert(target)));
  await scene.queue(alerts.map((alert) => scene.fire(alert)));
  await scene.queue(alerts.map((alert) => scene.clear(alert)));
  return alerts;
}

/** Each alert fired, then cleared, on each of these paths, once. */
export function expectLedger(
  scene: OutboxScene,
  alerts: readonly AlertFacts[],
  paths: readonly string[],
): void {
  const wanted = paths.flatMap((path) =>
    alerts.map(({ alert_id }) => `${path} ${alert_id}: alert_fire, alert_clear`),
  );
  const told = new Map<string, string[]>();
  for (const { path, kind, alert_ids } of scene.arrived())
    for (const id of alert_ids) told.set(`${path} ${id}`, [...(told.get(`${path} ${id}`) ?? []), kind]);
  expect([...told].map(([what, kinds]) => `${what}: ${kinds.join(', ')}`).sort()).toEqual(wanted.sort());
}
