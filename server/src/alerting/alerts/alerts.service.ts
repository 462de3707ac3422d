// Alerts for those who read and acknowledge them. Guards: only alerts of connections that the caller can see; an alert
// that cannot be seen reads like one that is not there; whoever acknowledges may write to its connection.

import { topologyId } from '../../estate/estate.ts';
import { type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import * as queries from './alerts.queries.ts';
import type {
  AcknowledgeRequest,
  Alert,
  AlertCounts,
  AlertHistory,
  AlertList,
  SaveAnalysisRequest,
} from './alerts.schemas.ts';
import type { AlertType, Severity, Status } from './alerts.types.ts';
import { queueAlertNotifications } from './outbox.service.ts';

const MOST_CONNECTIONS = 1000;
const MAX_ID = 2_147_483_647;
const MUTE_SECONDS = 24 * 3600;

export interface AlertQuery {
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
  status?: Status | undefined;
  exclude_cleared?: boolean | undefined;
  severity?: Severity | undefined;
  alert_type?: AlertType | undefined;
  rule_id?: number | undefined;
  metric_name?: string | undefined;
  start_time?: string | undefined;
  end_time?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

const EMPTY_IS_ABSENT = new Set(['database_name', 'object_name']);

const NEEDED = { read: 1, read_write: 2 } as const;

/** Members that nobody knows are left out, as the specification has it. */
export function shownAlert({ level, ...row }: queries.SeenAlert): Static<typeof Alert> {
  const { id, alert_type, connection_id, severity, title, description, status, triggered_at, ...rest } = row;
  const known = Object.entries(rest).filter(
    ([name, value]) => value !== null && !(value === '' && EMPTY_IS_ABSENT.has(name)),
  );
  return {
    ...{ id, alert_type, connection_id, severity, title, description, status, triggered_at },
    ...Object.fromEntries(known),
    may_acknowledge: level >= NEEDED.read_write,
  };
}

export function connectionsOf({
  connection_id,
  connection_ids,
}: Pick<AlertQuery, 'connection_id' | 'connection_ids'>): number[] | undefined {
  const listed =
    connection_ids === undefined ? undefined : [...new Set(connection_ids.split(',').map(Number))];
  if (listed?.some((one) => one < 1 || one > MAX_ID))
    throw new Fault('bad_request', 'connection_ids must be ids with commas between, like 1,2,3.');
  if (listed && listed.length > MOST_CONNECTIONS)
    throw new Fault('bad_request', `connection_ids may name at most ${MOST_CONNECTIONS} connections.`);
  if (connection_id === undefined) return listed;
  return listed === undefined || listed.includes(connection_id) ? [connection_id] : [];
}

/** As UTC: the datastore knows fewer offsets than RFC 3339. */
const instant = (text: string | undefined) =>
  text === undefined ? undefined : Temporal.Instant.from(text.toUpperCase()).toString();

/** Two statements, whatever the number of alerts. */
export async function listAlerts(ctx: Ctx, query: AlertQuery): Promise<Static<typeof AlertList>> {
  const { limit = 100, offset = 0, exclude_cleared = false } = query;
  const filter = {
    connection_ids: connectionsOf(query),
    status: query.status,
    exclude_cleared,
    severity: query.severity,
    alert_type: query.alert_type,
    rule_id: query.rule_id,
    metric_name: query.metric_name,
    start_time: instant(query.start_time),
    end_time: instant(query.end_time),
    limit,
    offset,
  };
  const rows = await queries.listSeen(ctx.db, ctx.principal, filter);
  const isAll = offset === 0 && rows.length < limit;
  const total = isAll ? rows.length : await queries.countSeen(ctx.db, ctx.principal, filter);
  return { alerts: rows.map(shownAlert), total };
}

function summed(
  rows: readonly queries.CountRow[],
  keyOf: (row: queries.CountRow) => string,
): Record<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const count = row.active - row.own;
    if (count > 0) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}

/** One statement. */
export async function countAlerts(ctx: Ctx): Promise<Static<typeof AlertCounts>> {
  const rows = await queries.countActive(ctx.db, ctx.principal);
  return {
    total: rows.reduce((sum, { active }) => sum + active, 0),
    by_server: summed(rows, ({ connection_id }) => String(connection_id)),
    by_cluster: summed(rows, topologyId),
  };
}

async function demandAlert(ctx: Ctx, id: number, need: keyof typeof NEEDED): Promise<queries.FoundAlert> {
  const found = await queries.findSeen(ctx.db, ctx.principal, id);
  if (!found) throw new Fault('not_found', 'There is no such alert.');
  if (found.level < NEEDED[need])
    throw new Fault(
      'forbidden',
      'You may read this connection, but acknowledging needs read_write access to it.',
    );
  return found;
}

export async function acknowledgeAlert(ctx: Ctx, input: Static<typeof AcknowledgeRequest>): Promise<void> {
  const { alert_id, message = '', false_positive = false } = input;
  const found = await demandAlert(ctx, alert_id, 'read_write');
  const actor = ctx.principal.username;
  await inTransaction(ctx, async (tx) => {
    if (!(await queries.acknowledge(tx.db, { alert_id, actor, message, false_positive })))
      throw new Fault(
        'conflict',
        found.status === 'acknowledged' ? 'This alert is acknowledged already.' : 'This alert has cleared.',
      );
    const { connection_id, raised_by, database_name, title } = found;
    if (false_positive && found.alert_type === 'anomaly')
      await queries.mute(tx.db, { connection_id, raised_by, database_name, alert_id, seconds: MUTE_SECONDS });
    await queueAlertNotifications(tx, { kind: 'acknowledge', ids: [alert_id] });
    const target = { kind: 'alert', id: alert_id, name: title };
    await recordAudit(tx, {
      action: 'alert.acknowledge',
      target,
      details: { connection_id, false_positive },
    });
  });
}

export async function unacknowledgeAlert(ctx: Ctx, alert_id: number): Promise<void> {
  const found = await demandAlert(ctx, alert_id, 'read_write');
  await inTransaction(ctx, async (tx) => {
    if (!(await queries.unacknowledge(tx.db, alert_id, ctx.principal.username)))
      throw new Fault('conflict', 'This alert is not acknowledged.');
    const target = { kind: 'alert', id: alert_id, name: found.title };
    const details = { connection_id: found.connection_id };
    await recordAudit(tx, { action: 'alert.unacknowledge', target, details });
  });
}

export async function saveAlertAnalysis(ctx: Ctx, input: Static<typeof SaveAnalysisRequest>): Promise<void> {
  const { alert_id, analysis, metric_value } = input;
  const found = await demandAlert(ctx, alert_id, 'read');
  await queries.saveAnalysis(ctx.db, {
    alert_id,
    analysis,
    metric_value: metric_value ?? found.metric_value,
  });
}

export async function getAlert(ctx: Ctx, id: number): Promise<Static<typeof AlertHistory>> {
  const { raised_by: _raised_by, ...row } = await demandAlert(ctx, id, 'read');
  return { alert: shownAlert(row), events: await queries.listEventsOf(ctx.db, id) };
}
