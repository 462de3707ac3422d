// The figures of an overview, from what is stored, at one moment. Guards: it is of the servers that the caller sees, and of
// nothing else: blackouts are those that hold for one of them.

import { blackoutsAhead } from '../../alerting/alerting.ts';
import { getEstate } from '../../estate/estate.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Static } from '../../kernel/schema.ts';
import { iso } from '../../kernel/times.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { EVENT_TYPES } from '../timeline/timeline.contract.ts';
import { serversFor, toldOf } from '../timeline/timeline.service.ts';
import type { EstateSnapshot } from './overview.contract.ts';
import { countAlerts, topAlerts } from './snapshot.queries.ts';

export type Snapshot = Static<typeof EstateSnapshot>;

const TOP_ALERTS = 10;
const RECENT_EVENTS = 20;

async function alertsOf({ db }: Ctx, ids: readonly number[]) {
  const counts = await countAlerts(db, ids);
  const ofServer = new Map<number, number>();
  const bySeverity = { critical: 0, warning: 0, info: 0 };
  for (const { connection_id, severity, count } of counts) {
    ofServer.set(connection_id, (ofServer.get(connection_id) ?? 0) + count);
    bySeverity[severity] += count;
  }
  return { ofServer, bySeverity, top: await topAlerts(db, ids, TOP_ALERTS) };
}

async function eventsOf(ctx: Ctx, ids: readonly number[], now: number) {
  const servers = await serversFor(ctx, ids);
  const asked = { from: now - DAY_MS, to: now, limit: RECENT_EVENTS, types: new Set(EVENT_TYPES), servers };
  const { events } = await toldOf(ctx, asked);
  return events.map(({ event_type, server_name, occurred_at, severity, title, summary }) => ({
    event_type,
    server_name,
    occurred_at,
    severity,
    title,
    summary,
  }));
}

/** Of these servers, all of which the caller sees; at least one. */
export async function snapshotOf(ctx: Ctx, ids: readonly number[]): Promise<Snapshot> {
  const now = ctx.clock.now();
  const wanted = new Set(ids);
  const estate = await getEstate(ctx);
  const alerts = await alertsOf(ctx, ids);
  const blackouts = await blackoutsAhead(ctx.db, ids, { now, until: now + DAY_MS });
  const servers = estate.servers
    .filter(({ connection_id }) => wanted.has(connection_id))
    .map(({ connection_id: id, name, status, role, is_monitored }) => ({
      ...{ id, name, status: is_monitored ? status : 'unmonitored', role: role ?? 'unknown' },
      active_alert_count: alerts.ofServer.get(id) ?? 0,
    }));
  const count = (status: string) => servers.filter((server) => server.status === status).length;
  const { critical, warning, info } = alerts.bySeverity;
  return {
    timestamp: iso(now),
    server_total: servers.length,
    server_online: count('online'),
    server_offline: count('offline'),
    server_warning: count('warning'),
    servers,
    alert_total: critical + warning + info,
    alert_critical: critical,
    alert_warning: warning,
    alert_info: info,
    top_alerts: alerts.top,
    active_blackouts: blackouts.active,
    upcoming_blackouts: blackouts.upcoming,
    recent_events: await eventsOf(ctx, ids, now),
  };
}

export const hasRestarts = ({ recent_events }: Snapshot) =>
  recent_events.some(({ event_type }) => event_type === 'restart');
