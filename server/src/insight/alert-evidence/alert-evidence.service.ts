// What was known when an alert fired, put together of what is stored. Guards: an alert that the caller cannot see is not
// there, and no part tells of another server; every part is bounded, and one of which nothing is known says why.

import { getAlert, pastValues } from '../../alerting/alerting.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Output } from '../../kernel/contract.ts';
import { iso } from '../../kernel/times.ts';
import { getConnectionMoment } from '../moment/moment.service.ts';
import { listChanges } from '../timeline/changes.service.ts';
import type { getAlertEvidence as contract } from './alert-evidence.contract.ts';

type Evidence = Output<typeof contract>;
type Alert = Awaited<ReturnType<typeof getAlert>>['alert'];

const AROUND_MS = 30 * 60_000;
const BEFORE_MS = 60 * 60_000;
const SESSIONS = 20;
const LOCKS = 50;
const WAITS = 20;
const CHANGES_OF_A_KIND = 10;

async function valuesOf(ctx: Ctx, alert: Alert): Promise<Evidence['values']> {
  const { rule_id, connection_id, database_name = '', object_name = '', metric_name, metric_unit } = alert;
  const of = { metric_name: metric_name ?? null, metric_unit: metric_unit ?? null };
  const none = (reason: string) => ({ ...of, reason, start_time: null, step_seconds: null, values: null });
  if (rule_id === undefined) return none('This alert is not about a metric of a rule.');
  const fired = Date.parse(alert.triggered_at);
  const to = Math.min(fired + AROUND_MS, ctx.clock.now());
  const place = { rule_id, connection_id, database_name, object_name };
  const found = await pastValues(ctx, { ...place, from: fired - AROUND_MS, to });
  return typeof found === 'string' ? none(found) : { ...of, reason: null, ...found };
}

const first = <T>(rows: readonly T[] | null, most: number) => rows?.slice(0, most) ?? null;

export async function getAlertEvidence(ctx: Ctx, id: number): Promise<Evidence> {
  const { alert } = await getAlert(ctx, id);
  const { connection_id, triggered_at: at } = alert;
  // The datastore, whose clock wrote when it fired, may be ahead of us.
  const instant = iso(Math.min(Date.parse(at), ctx.clock.now()));
  const moment = await getConnectionMoment(ctx, connection_id, { at: instant, limit: SESSIONS });
  const { sessions, locks, waits } = moment;
  return {
    alert_id: id,
    at,
    threshold: {
      operator: alert.operator ?? null,
      value: alert.threshold_value ?? null,
      source: alert.threshold_source ?? null,
    },
    values: await valuesOf(ctx, alert),
    sessions,
    locks: { ...locks, nodes: first(locks.nodes, LOCKS) },
    waits: { ...waits, combinations: first(waits.combinations, WAITS) },
    changes: await listChanges(ctx, {
      connection_id,
      start_time: iso(Date.parse(at) - BEFORE_MS),
      end_time: at,
      limit: CHANGES_OF_A_KIND,
    }),
  };
}
