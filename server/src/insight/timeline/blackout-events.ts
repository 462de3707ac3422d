// Events from blackouts: that one began, and that it is over. Guards: told to who may read a server that it holds for; the
// name is that of what it is for.

import { type BlackoutEventRow, blackoutEvents } from '../../alerting/alerting.ts';
import type { Sql } from '../../kernel/sql.ts';
import { shortened } from './change-titles.ts';
import { type Event, type TimelinePart, type TimelineScope, utc } from './types.ts';

const ESTATE = 'Estate';
const TYPES = ['blackout_started', 'blackout_ended'] as const;

function eventOf(row: BlackoutEventRow): Event {
  const { event_type, blackout_id, scope, reason, created_by } = row;
  const [start_time, end_time] = [utc(row.start_time), utc(row.end_time)];
  const name = row.target_name ?? ESTATE;
  const what = row.database_name === null ? name : `${row.database_name} on ${name}`;
  const why = reason === '' ? '.' : `: ${shortened(reason)}`;
  const isStart = event_type === 'blackout_started';
  return {
    id: `${isStart ? 'blackout-started' : 'blackout-ended'}-${blackout_id}`,
    event_type,
    connection_id: scope === 'server' ? (row.scope_id ?? 0) : 0,
    server_name: name,
    occurred_at: utc(row.occurred_at),
    severity: 'info',
    title: isStart ? 'Blackout started' : 'Blackout ended',
    summary: isStart
      ? `Alerts of ${what} are kept quiet until ${end_time}${why}`
      : `Alerts of ${what} were kept quiet from ${start_time} to ${end_time}${why}`,
    details: { blackout_id, scope, reason, created_by, end_time },
  };
}

export function blackoutPart(asked: TimelineScope): Sql {
  return blackoutEvents({
    ...asked,
    connection_ids: [...asked.servers.keys()],
    types: TYPES.filter((type) => asked.types.has(type)),
  });
}

export const blackoutsTold = (rows: readonly BlackoutEventRow[]): TimelinePart => ({
  events: rows.map(eventOf),
  total_count: rows[0]?.total_count ?? 0,
});
