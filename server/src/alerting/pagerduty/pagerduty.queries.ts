// The statements behind what PagerDuty tells. Guards: an event is noted once, whoever sends it and how often.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

/** Answers whether it is new; whoever asks at the same time waits. */
export async function noteEvent(db: Db, channel_id: number, event_id: string): Promise<boolean> {
  const noted = await db.run(sql`/* pagerduty.note_event */
    insert into matriarch.pagerduty_events (channel_id, event_id)
    values (${channel_id}::int, ${event_id})
    on conflict do nothing`);
  return noted > 0;
}

/** What is older than any alert that has cleared. */
export const dropEvents = (db: Db, days: number): Promise<number> =>
  db.run(sql`/* pagerduty.drop_events */
    delete from matriarch.pagerduty_events e
    where e.seen_at < now() - make_interval(days => ${days})`);
