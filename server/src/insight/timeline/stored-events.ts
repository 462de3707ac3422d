// Events of alerts and blackouts, which are stored as such: one statement for both.

import type { AlertEventRow, BlackoutEventRow } from '../../alerting/alerting.ts';
import type { Db } from '../../kernel/db.ts';
import { alertPart, alertsTold } from './alert-events.ts';
import { blackoutPart, blackoutsTold } from './blackout-events.ts';
import { readStored } from './stored-events.queries.ts';
import type { TimelinePart, TimelineScope } from './types.ts';

const OWN = [
  'alert_fired',
  'alert_cleared',
  'alert_acknowledged',
  'blackout_started',
  'blackout_ended',
] as const;

export async function storedSource(db: Db, asked: TimelineScope): Promise<TimelinePart> {
  if (asked.servers.size === 0 || !OWN.some((type) => asked.types.has(type)))
    return { events: [], total_count: 0 };
  const parts = { alerts: alertPart(asked), blackouts: blackoutPart(asked) };
  const { alerts, blackouts } = await readStored<AlertEventRow, BlackoutEventRow>(db, parts);
  const told = [alertsTold(alerts, asked), blackoutsTold(blackouts)];
  return {
    events: told.flatMap(({ events }) => events),
    total_count: told.reduce((sum, { total_count }) => sum + total_count, 0),
  };
}
