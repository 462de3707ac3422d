// The log of a server as it is read: a stream of new events. Guards: the same rights as for the list of events, looked at again while the
// stream is open; what comes faster than it can be shown is counted.
import { byId, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { eventFilters, LogEvent } from './log-events.schemas.ts';
import { LogReading } from './server-logs.contract.ts';

export const FRAME_ID = '^[0-9]{1,15}-[0-9]{1,15}$';

const LogTail = s.component('LogTail', {
  events: s.list(LogEvent, { description: 'New ones, the oldest first.' }),
  left_out: s.nullable(
    s.integer({
      minimum: 0,
      description:
        'How many more came at once than the 200 of one frame, which are not sent; null: more than are counted here.',
    }),
  ),
  reading: LogReading,
});

const time = '2026-11-20T10:00:00.000Z';

export const tailConnectionLogEvents = operation({
  id: 'tailConnectionLogEvents',
  route: 'GET /api/v1/connections/{id}/log-events/tail',
  tag: 'connections',
  summary: 'Follow the log of a server (SSE)',
  access: { connection: 'id', need: 'read', permission: 'read_logs' },
  ...byId(1),
  query: s.object({
    ...eventFilters,
    after: s.optional(
      s.text({
        pattern: FRAME_ID,
        description: 'id of the last frame that was seen, within the last hour.',
      }),
    ),
  }),
  extra: true,
  success: {
    ...ok(LogTail, {
      events: [
        {
          id: '1042',
          occurred_at: time,
          class: 'lock_wait',
          title: 'Lock wait',
          weight: 'warning',
          severity: 'LOG',
          sqlstate: null,
          database_name: 'shop',
          user_name: 'app',
          application_name: 'checkout',
          process_id: '30451',
          queryid: null,
          message: 'process 30451 still waiting for ShareLock on transaction 771 after 1000.123 ms',
          detail: null,
          hint: null,
          context: null,
          statement: 'update orders set state = $1 where id = $2',
          figures: { waited_ms: 1000.123 },
          is_cut: false,
          deadlock_sides: null,
        },
      ],
      left_out: 0,
      reading: {
        state: 'reading',
        format: 'stderr',
        since: time,
        looked_at: time,
        read_until: null,
        reason: null,
        mend: null,
      },
    }),
    stream: { keepalive_seconds: 15 },
  },
  notes: [
    'Frames: event: log, id: <place>. The first one comes at once, the next ones with new events or when reading changes; without after or the header Last-Event-ID only what is stored from now on.',
    'While a stream is open, a collector that reads the log over SQL or from the disk looks every second; events are sent once a second, at most 200.',
  ],
});
