// The alert of a channel that has given up notifications, on the datastore's own connection where that is watched, else on
// on one that they were about: no other message would say that they were not delivered. Guards: one alert of each
// channel, and what holds back alerts holds back this one.

import type { Db } from '../../kernel/db.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import { shownName } from '../alert-rules/known-rules.service.ts';
import { CHANNEL, raisedByChannel } from '../alerts/alerts.types.ts';
import { type FailingRow, failingChannels } from '../notification-channels/dead-letters.service.ts';
import type { AlertChanges } from './changes.ts';
import { type OpenAlerts, serverKey } from './open-alerts.ts';
import type { WatchedRow } from './state.queries.ts';

const FIELDS = {
  operator: '>=',
  threshold_value: 1,
  threshold_source: 'built_in',
  severity: 'critical',
} as const;

const nameOf = ({ channel_name }: FailingRow) => shownName(channel_name);

const descriptionOf = (row: FailingRow) =>
  `Channel "${nameOf(row)}" could not deliver ${row.count} ${row.count === 1 ? 'notification' : 'notifications'}, the first at ${shownTime(row.since)}. Each was retried for 24 h. Test the channel, fix the error of its deliveries, and resend them.`;

/** The connection to say it on; undefined when none is watched. */
function placeOf(row: FailingRow, watched: readonly WatchedRow[]): number | undefined {
  const ids = new Set(watched.map(({ connection_id }) => connection_id));
  const wanted = [row.own_connection_id, row.connection_id];
  return wanted.find((id) => id !== null && ids.has(id)) ?? watched[0]?.connection_id;
}

export interface ChannelJudging {
  watched: readonly WatchedRow[];
  alerts: OpenAlerts;
  now: number;
}

/** Adds to `changes`; one statement. */
export async function judgeChannels(
  db: Db,
  { watched, alerts, now }: ChannelJudging,
  changes: AlertChanges,
): Promise<void> {
  const failing = await failingChannels(db, now);
  const sampled_at = new Date(now).toISOString();
  const open = new Map(
    [...alerts.open]
      .filter(({ raised_by }) => raised_by.startsWith(CHANNEL))
      .map((one) => [one.raised_by, one]),
  );
  for (const row of failing) {
    const raised_by = raisedByChannel(row.channel_id);
    const description = descriptionOf(row);
    const before = open.get(raised_by);
    open.delete(raised_by);
    const fields = { ...FIELDS, metric_value: row.count, sampled_at, description };
    if (before) {
      if (before.metric_value !== row.count)
        changes.updated.push({ ...fields, id: before.id, title: null, well_samples: 0 });
      continue;
    }
    const connection_id = placeOf(row, watched);
    if (connection_id === undefined) continue;
    const key = serverKey(connection_id, raised_by);
    const { silent, isSuppressed } = alerts.stateOf(key);
    if (silent !== undefined || isSuppressed) continue;
    changes.fired.push({
      ...key,
      ...fields,
      title: `Matriarch: Undelivered notifications of channel "${nameOf(row)}"`,
      alert_type: 'threshold',
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
