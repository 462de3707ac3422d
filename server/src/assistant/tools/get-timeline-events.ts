// What happened to servers, as the timeline keeps it.

import { demandConnection } from '../../identity/identity.ts';
import { listTimelineEvents } from '../../insight/insight.ts';
import { EVENT_TYPES } from '../../insight/timeline/timeline.contract.ts';
import { object, optional, text } from '../../kernel/schema.ts';
import { many } from '../../plans/shown-figures.ts';
import { answer } from './support/answer.ts';
import { anyConnectionInput, limitInput, spanOf, timeInput, wire } from './support/inputs.ts';
import { timelinePage } from './support/pages.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'get_timeline_events',
  title: 'Timeline',
  summary: 'What happened to servers: settings, restarts, alerts, extensions, blackouts.',
  description:
    'Lists what happened to servers, newest first: changed settings, restarts, alerts that fired and cleared, extensions, blackouts. get_changes compares two times instead and also tells of tables, indexes and statements.',
  cost: 'About six statements on our datastore.',
  privilege: { id: 15, description: 'Read what happened to servers' },
  most_statements: 3,
  examples: [
    {
      ask: 'Was a setting changed or a server restarted this week?',
      input: { start_time: '7d', event_types: 'config_change,restart' },
    },
  ],
  input: object({
    ...anyConnectionInput,
    start_time: timeInput('From', '24h'),
    end_time: timeInput('Until', 'now'),
    event_types: optional(
      text({ maxLength: 400, description: `With commas between, of ${EVENT_TYPES.join(', ')}.` }),
    ),
    limit: limitInput(100, 500),
  }),
  async run(ctx, { connection_id, start_time = '24h', end_time = 'now', event_types, limit = 100 }) {
    if (connection_id !== undefined) await demandConnection(ctx, { connection_id, need: 'read' });
    const { from, to } = spanOf(ctx, ['start_time', start_time], ['end_time', end_time]);
    const found = await listTimelineEvents(ctx, {
      ...{ start_time: wire(from), end_time: wire(to), limit },
      ...{ connection_id, event_types },
    });
    return answer(ctx, {
      about: `${many(found.total_count, 'event')} from ${wire(from)} to ${wire(to)}`,
      source:
        'what the collector saw and what people did; changes bear the time at which they were first seen',
      page: timelinePage(connection_id, { from, to }),
      notes: (found.incomplete ?? []).map(
        ({ event_type, reason }) => `${event_type} is not complete: ${reason}`,
      ),
      sections: [
        {
          columns: ['occurred_at', 'server', 'connection_id', 'type', 'severity', 'title', 'summary'],
          rows: found.events.map((one) => [
            ...[one.occurred_at, one.server_name, one.connection_id, one.event_type, one.severity],
            ...[one.title, one.summary],
          ]),
          total: found.total_count,
          rest: 'Take a shorter time or fewer types.',
          empty: 'Nothing happened then that is kept.',
        },
      ],
    });
  },
});
