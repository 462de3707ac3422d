// The alert of a channel that has given up notifications, on the datastore's own connection where that is watched, else on
// one that should have been told of: nobody else would hear that they were not delivered. Guards: one alert of each
// channel, and what holds back alerts holds back this one.

import type { Db } from '../../kernel/db.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import { shownName } from '../alert-rules/object-names.service.ts';
import { CHANNEL, raisedByChannel } from '../alerts/alerts.types.ts';
import type { AlertChanges, WatchedRow } from '../alerts/changes.service.ts';
import { type FailingRow, failingChannels } from '../notification-channels/dead-letters.service.ts';
import type { KnownAlerts } from './open-alerts.ts';

const TOLD = {
  operator: '>=',
  threshold_value: 1,
  threshold_source: 'built_in',
  severity: 'critical',
} as const;

const named = ({ channel_name }: FailingRow) => shownName(channel_name);

const descriptionOf = (row: FailingRow) =>
  `Undelivered notifications: ${row.count}, the first at ${shownTime(row.since)}. Each was retried for 24 h. Test channel "${named(row)}", fix the error of its deliveries, and resend them.`;

/** The connection to say it on; undefined when none is watched. */
function placeOf(row: FailingRow, watched: readonly WatchedRow[]): number | undefined {
  const ids = new Set(watched.map(({ connection_id }) => connection_id));
  const wanted = [row.own_connection_id, row.connection_id];
  return wanted.find((id) => id !== null && ids.has(id)) ?? watched[0]?.connection_id;
}

export interface ChannelJudging {
  watched: readonly WatchedRow[];
  known: KnownAlerts;
  now: number;
}

/** Adds to `changes`; one statement. */
export async function judgeChannels(
  db: Db,
  { watched, known, now }: ChannelJudging,
  changes: AlertChanges,
): Promise<void> {
  const failing = await failingChannels(db, now);
  const sampled_at = new Date(now).toISOString();
  const open = new Map(
    [...known.open]
      .filter(({ raised_by }) => raised_by.startsWith(CHANNEL))
      .map((one) => [one.raised_by, one]),
  );
  for (const row of failing) {
    const raised_by = raisedByChannel(row.channel_id);
    const description = descriptionOf(row);
    const before = open.get(raised_by);
    open.delete(raised_by);
    const told = { ...TOLD, metric_value: row.count, sampled_at, description };
    if (before) {
      if (before.metric_value !== row.count)
        changes.held.push({ ...told, id: before.id, title: null, well_samples: 0 });
      continue;
    }
    const connection_id = placeOf(row, watched);
    if (connection_id === undefined) continue;
    const key = { connection_id, raised_by, database_name: '', object_name: '' };
    const { silent, isHeld } = known.of(key);
    if (silent !== undefined || isHeld) continue;
    changes.fired.push({
      ...key,
      ...told,
      title: `Undelivered notifications of channel "${named(row)}"`,
      alert_type: 'threshold',
      rule_id: null,
      probe_name: null,
      metric_name: null,
      metric_unit: null,
    });
  }
  const ids = new Set(watched.map(({ connection_id }) => connection_id));
  for (const { id, connection_id } of open.values())
    if (ids.has(connection_id))
      changes.cleared.push({
        id,
        message: 'The channel delivers again, or the notifications were resent.',
      });
}
