// What the time of a server goes to: average active sessions, by what they wait for or who they are.
import { getConnectionLoad } from '../../history/history.ts';
import { LOAD_SPLITS } from '../../history/performance/load.contract.ts';
import { object, oneOf, optional } from '../../kernel/schema.ts';
import { answer } from './support/answer.ts';
import { connectionFor, connectionInput, spanOf, timeInput, wire } from './support/inputs.ts';
import { spanPage } from './support/pages.ts';
import { defineTool } from './types.ts';

/** Parts of the window, so that its course is seen. */
const BUCKETS = 12;

export const tool = defineTool({
  name: 'get_load',
  title: 'Load of a server',
  summary: 'What the time of a server goes to: waits, statements, users.',
  description:
    'Says how many sessions were active on average over a time, and what they did: by class of wait (CPU is on the processor or ready for it), wait event, statement, user, application, client or database. Ten largest, then the rest. More active sessions than processors means that sessions queue. get_query tells more of a statement by its id.',
  cost: 'One to three statements on our datastore.',
  privilege: { id: 25, description: 'Read what the time of a server goes to' },
  most_statements: 3,
  examples: [
    {
      ask: 'What was server 1 busy with in the last hour?',
      input: { connection_id: 1, split_by: 'statement' },
    },
  ],
  input: object({
    ...connectionInput,
    time_start: timeInput('From', '1h'),
    time_end: timeInput('Until', 'now'),
    split_by: optional(oneOf(LOAD_SPLITS, { default: 'wait_class' })),
  }),
  async run(ctx, { connection_id: named, time_start = '1h', time_end = 'now', split_by = 'wait_class' }) {
    const connection_id = await connectionFor(ctx, named);
    const { from, to } = spanOf(ctx, ['time_start', time_start], ['time_end', time_end]);
    const range = { start_time: wire(from), end_time: wire(to) };
    const load = await getConnectionLoad(ctx, connection_id, { ...range, split_by, buckets: BUCKETS });
    const { total, members, coverage, processors, bucket_seconds } = load;
    const share = (mean: number | null) =>
      mean === null || !total.mean ? null : Math.round((1000 * mean) / total.mean) / 10;
    return answer(ctx, {
      about: `Load of connection ${connection_id} by ${split_by}, ${wire(from)} to ${wire(to)}: ${total.mean === null ? 'not known' : `${total.mean.toFixed(2)} active sessions on average`}, ${processors.count ?? 'an unknown number of'} processors`,
      source: `samples of sessions; ${Math.round(coverage * 100)} % of the time was sampled`,
      page: spanPage(connection_id, 'load', { from, to }),
      notes: load.members_reason === null ? [] : [load.members_reason],
      sections: [
        {
          columns: [split_by, 'average_active_sessions', 'percent', 'database', 'text'],
          rows: members.map((one) => [
            one.is_rest ? '(all others)' : (one.name ?? '(none)'),
            ...[one.mean, share(one.mean), one.database, one.query_text],
          ]),
          empty:
            total.mean === null
              ? 'Nothing was sampled then. get_coverage says whether and why sessions are not sampled.'
              : 'No session was active in any sample.',
        },
        {
          title: `In parts of ${bucket_seconds} s`,
          columns: ['time', 'average_active_sessions'],
          rows: total.values.map((value, n) => [wire(from + n * bucket_seconds * 1000), value]),
          empty: 'Not known.',
        },
      ],
    });
  },
});
