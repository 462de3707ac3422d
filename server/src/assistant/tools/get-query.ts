// One statement of a server: text, cost now and before, where it runs and what it waits for.
import { getQueryDetail } from '../../history/history.ts';
import { object, text } from '../../kernel/schema.ts';
import { answer } from './support/answer.ts';
import { connectionFor, connectionInput, spanOf, timeInput, wire } from './support/inputs.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'get_query',
  title: 'One statement',
  summary: 'A statement: its text, what it costs now and before, and its waits.',
  description:
    'Tells of one statement by its queryid: the normalised text, calls, time, rows and blocks over a window and in the one before it, where it runs and as whom, and what its sessions waited for. The id is in get_load with split_by statement, in get_moment and in get_changes. Plan it with execute_explain.',
  cost: 'Up to four statements on our datastore.',
  privilege: { id: 28, description: 'Read a statement with its plan, waits and trend' },
  most_statements: 4,
  examples: [
    {
      ask: 'Did this statement become slower?',
      input: { connection_id: 1, queryid: '-4725382164029184731', time_start: '24h' },
    },
  ],
  input: object({
    queryid: text({ pattern: '^-?[0-9]{1,19}$', description: 'a whole number of 64 bits, as text' }),
    ...connectionInput,
    time_start: timeInput('From', '1h'),
    time_end: timeInput('Until', 'now'),
  }),
  async run(ctx, { queryid, connection_id: named, time_start = '1h', time_end = 'now' }) {
    const connection_id = await connectionFor(ctx, named);
    const { from, to } = spanOf(ctx, ['time_start', time_start], ['time_end', time_end]);
    const range = { start_time: wire(from), end_time: wire(to) };
    const found = await getQueryDetail(ctx, { id: connection_id, queryid }, { ...range, buckets: 12 });
    return answer(ctx, {
      about: `Statement ${queryid} of connection ${connection_id}, ${range.start_time} to ${range.end_time}, beside the same time before (from ${found.compared_start_time})`,
      source: `pg_stat_statements and samples of sessions; first seen ${found.first_seen}`,
      page: `/servers/${connection_id}/queries/${queryid}?from=${range.start_time}&to=${range.end_time}`,
      sections: [
        {
          title: 'Text',
          columns: ['statement'],
          rows: found.query ? [[found.query]] : [],
          isWhole: true,
          empty: 'Its text was not read.',
        },
        {
          title: 'Figures',
          columns: ['metric', 'unit', 'total', 'before', 'per_second', 'before_per_second', 'meaning'],
          rows: found.figures.map((one) => [
            ...[one.metric, one.unit, one.total, one.compared_total, one.per_second],
            ...[one.compared_per_second, one.description],
          ]),
          empty: 'It did not run in that time.',
        },
        {
          title: 'Where',
          columns: ['database', 'user', 'first_seen', 'last_seen'],
          rows: found.places.map((one) => [one.database_name, one.username, one.first_seen, one.last_seen]),
          empty: 'Not known.',
        },
        {
          title: 'Waits',
          columns: ['class', 'event', 'session_seconds', 'percent'],
          rows: found.waits.events.map((one) => [
            ...[one.wait_class ?? 'CPU', one.wait_event, one.session_seconds, one.percent],
          ]),
          empty: found.waits.reason ?? 'None were seen.',
        },
      ],
    });
  },
});
