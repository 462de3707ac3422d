// What is different between two times, kind by kind.

import { demandConnection } from '../../identity/identity.ts';
import { listChanges } from '../../insight/insight.ts';
import { object } from '../../kernel/schema.ts';
import { many } from '../../plans/shown-figures.ts';
import { answer, type Section } from './support/answer.ts';
import { anyConnectionInput, limitInput, spanOf, timeInput, wire } from './support/inputs.ts';
import { timelinePage } from './support/pages.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'get_changes',
  title: 'What changed',
  summary: 'What is different between two times: settings, versions, tables, statements.',
  description:
    'Says what changed on servers in a time, kind by kind: restarts, roles, versions, settings, access rules, extensions, tables and indexes made or dropped, new statements, and statements that became slower than in the time before. Ask it first when something is worse than before.',
  cost: 'One statement on our datastore for each kind, fifteen in all.',
  privilege: { id: 29, description: 'Read what changed on servers' },
  most_statements: 17,
  examples: [{ ask: 'What changed before it became slow?', input: { connection_id: 1, start_time: '24h' } }],
  input: object({
    ...anyConnectionInput,
    start_time: timeInput('From', '24h'),
    end_time: timeInput('Until', 'now'),
    limit: limitInput(10, 100),
  }),
  async run(ctx, { connection_id, start_time = '24h', end_time = 'now', limit = 10 }) {
    if (connection_id !== undefined) await demandConnection(ctx, { connection_id, need: 'read' });
    const { from, to } = spanOf(ctx, ['start_time', start_time], ['end_time', end_time]);
    const range = { start_time: wire(from), end_time: wire(to) };
    const found = await listChanges(ctx, { ...range, connection_id, limit });
    const { slower_statements: slower } = found;
    const events: Section = {
      title: 'Events',
      columns: ['occurred_at', 'server', 'connection_id', 'kind', 'title', 'summary'],
      rows: found.kinds.flatMap(({ events: told }) =>
        told.map((one) => [
          ...[one.occurred_at, one.server_name, one.connection_id, one.event_type, one.title, one.summary],
        ]),
      ),
      total: found.kinds.reduce((sum, one) => sum + (one.total_count ?? one.events.length), 0),
      rest: `At most ${limit} of each kind: a larger limit or a shorter time shows more.`,
      empty: 'Nothing changed that is kept.',
    };
    return answer(ctx, {
      about: `What changed on ${many(found.server_count, 'server')} from ${range.start_time} to ${range.end_time}`,
      source: 'what the collector saw; a change bears the time at which it was first seen',
      page: timelinePage(connection_id, { from, to }),
      notes: found.kinds.flatMap(({ event_type, reason }) =>
        reason === undefined ? [] : [`${event_type} is not complete: ${reason}`],
      ),
      sections: [
        events,
        {
          title: `Slower statements, beside the same time before (from ${slower.previous_start_time})`,
          columns: [
            'server',
            'database',
            'queryid',
            'mean_ms',
            'before_ms',
            'factor',
            'load_percent',
            'text',
          ],
          rows: slower.statements.map((one) => [
            ...[one.server_name, one.database, one.queryid, one.mean_time_ms, one.previous_mean_time_ms],
            ...[one.factor, one.load_percent, one.query_text],
          ]),
          total: slower.total_count ?? undefined,
          rest: 'A larger limit shows more.',
          empty: slower.reason ?? 'No statement became slower.',
        },
      ],
    });
  },
});
