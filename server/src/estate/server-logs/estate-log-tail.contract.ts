// The logs of all servers as they are read: a stream of new events. Guards: of servers that the caller sees at that moment, and of no others.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { EstateLogEvent, listEstateLogEvents } from './estate-logs.contract.ts';
import { eventFilters } from './log-events.schemas.ts';
import { FRAME_ID } from './log-tail.contract.ts';

const EstateLogTail = s.component('EstateLogTail', {
  events: s.list(EstateLogEvent, { description: 'New ones, the oldest first.' }),
  left_out: s.nullable(
    s.integer({
      minimum: 0,
      description:
        'How many more came at once than the 200 of one frame, which are not sent; null: more than are counted here.',
    }),
  ),
});

export const tailEstateLogEvents = operation({
  id: 'tailEstateLogEvents',
  route: 'GET /api/v1/log-events/tail',
  tag: 'connections',
  summary: 'Follow the logs of all servers (SSE)',
  access: { permission: 'read_logs' },
  query: s.object({
    ...eventFilters,
    after: s.optional(
      s.text({ pattern: FRAME_ID, description: 'id of the last frame that was seen, within the last hour.' }),
    ),
  }),
  extra: true,
  success: {
    ...ok(EstateLogTail, {
      events: Object(listEstateLogEvents.success.example).events,
      left_out: 0,
    }),
    stream: { keepalive_seconds: 15 },
  },
  notes: [
    'Frames: event: log, id: <place>. The first one comes at once, the next ones with new events; without after or the header Last-Event-ID only what is stored from now on.',
    'Of servers that the caller sees when the frame is made. Events are sent three seconds after they were stored, since collectors store at the same time; what takes longer to store is in listEstateLogEvents alone.',
    'Logs are read as often as usual, every 5 to 30 seconds: follow one server to have its log read every second.',
  ],
});
