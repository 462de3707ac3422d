// Grave events of logs on the timeline: crashes, panics, deadlocks and the like. Guards: no texts, which take a permission besides; those of a class in
// one minute are one event with their count.
import { graveLogMinutes } from '../../estate/estate.ts';
import type { Db } from '../../kernel/db.ts';
import { type Event, type TimelinePart, type TimelineScope, utc } from './types.ts';

export async function logSource(db: Db, asked: TimelineScope): Promise<TimelinePart> {
  if (asked.servers.size === 0 || !asked.types.has('log_event')) return { events: [], total_count: 0 };
  const minutes = await graveLogMinutes(db, { ...asked, ids: [...asked.servers.keys()] });
  const events = minutes.map(({ connection_id, first_at, events: count, ...one }): Event => {
    const occurred_at = utc(first_at);
    const server_name = asked.servers.get(connection_id)?.name ?? '';
    return {
      id: `log-${one.class}-${connection_id}-${occurred_at}`,
      event_type: 'log_event',
      ...{ connection_id, server_name, occurred_at },
      severity: one.weight === 'normal' ? 'info' : one.weight,
      title: count === 1 ? one.title : `${one.title}, ${count} in a minute`,
      summary: `The log of ${server_name} says so. ${one.meaning}`,
      details: { class: one.class, events: count },
    };
  });
  return { events, total_count: minutes[0]?.total ?? 0 };
}
