// What the log of a server says: events by class, and the newest ones with their texts; without a choice, those that matter. Guards: texts need the permission
// read_logs besides; where the log was not read, that is said and no count is taken for zero.

import { getConnectionLogCounts, LOG_SEVERITIES, listConnectionLogEvents } from '../../estate/estate.ts';
import { hasPermission } from '../../identity/identity.ts';
import { object, oneOf, optional, text } from '../../kernel/schema.ts';
import { many } from '../../plans/shown-figures.ts';
import { answer, type Section } from './support/answer.ts';
import { connectionFor, connectionInput, limitInput, spanOf, timeInput, wire } from './support/inputs.ts';
import { spanPage } from './support/pages.ts';
import { defineTool } from './types.ts';

type Counts = Awaited<ReturnType<typeof getConnectionLogCounts>>;
type Events = Awaited<ReturnType<typeof listConnectionLogEvents>>;

const MB = 1024 * 1024;

/** What one has to know before a count is believed. */
function notesOf({ reading, classes, gap_bytes, start_time }: Counts): string[] {
  const { reason, read_until, mend, since } = reading;
  const unread = classes[0]?.values.filter((value) => value === null).length ?? 0;
  return [
    ...(reason === null ? [] : [reason]),
    ...(mend === null ? [] : ['The page has the statements that fix it.']),
    ...(since === null || Date.parse(since) <= Date.parse(start_time)
      ? []
      : [`Events are counted from ${since} on.`]),
    ...(read_until === null ? [] : [`Events after ${read_until} are not counted yet.`]),
    ...(unread === 0
      ? []
      : [
          `In ${unread} of ${classes[0]?.values.length} parts of this time the log was not read: unknown there.`,
        ]),
    ...(gap_bytes === 0
      ? []
      : [`${Math.ceil(gap_bytes / MB)} MB of the log were lost before they were read.`]),
  ];
}

const classesSection = ({ classes, reading }: Counts): Section => ({
  title: 'Events by class, what matters first',
  columns: ['class', 'weight', 'title', 'events', 'with_texts', 'what_to_do'],
  rows: classes.map((one) => [
    ...[one.class, one.weight, one.title, one.events, one.kept],
    one.weight === 'normal' ? null : one.remedy,
  ]),
  empty: reading.state === 'reading' ? 'None is counted in this time.' : 'None are known.',
});

const eventsSection = ({ events, next_cursor, searched_back_to }: Events): Section => ({
  title: 'Events, newest first; secrets are masked, and constants of statements where they were not kept',
  columns: [
    ...['occurred_at', 'class', 'severity', 'sqlstate', 'database', 'user', 'application', 'process_id'],
    ...['message', 'detail', 'context', 'statement'],
  ],
  rows: events.map((one) => [
    ...[one.occurred_at, one.class, one.severity, one.sqlstate, one.database_name, one.user_name],
    ...[one.application_name, one.process_id, one.message, one.detail, one.context, one.statement],
  ]),
  more: next_cursor !== null,
  rest: `Ask again with cursor ${next_cursor}.`,
  empty:
    searched_back_to === null
      ? 'None fit.'
      : `None fit back to ${searched_back_to}. Ask again with cursor ${next_cursor}.`,
});

/** Where nothing is chosen, the lines of normal work would hide what matters. */
function chosen<T extends object>(asked: T): T & { important?: boolean } {
  const isChosen = Object.keys(asked).some((key) => key !== 'cursor');
  return isChosen ? asked : { ...asked, important: true };
}

const NO_TEXTS = 'Texts of events need the permission read_logs; you see the counts.';

export const tool = defineTool({
  name: 'get_logs',
  title: 'Log of a server',
  summary: 'What the log of a server says: events by class, and the newest texts.',
  description:
    'Counts the events in the log of a server by class, such as deadlocks, crashes, failed sign-ins or slow statements, each with what to do, and lists the newest that matter. With class, severity, SQLSTATE, database, user, application, process or words of the text it searches all lines, of the last 7 days. Use it for why something failed; get_plans has the plans of the log.',
  cost: 'About nine statements on our datastore, more where a search looks far back.',
  privilege: { id: 37, description: 'Read the log of a server' },
  most_statements: 12,
  examples: [
    { ask: 'What does the log say of the last hour?', input: { connection_id: 1 } },
    {
      ask: 'Were there deadlocks on orders this week?',
      input: { connection_id: 1, class: 'deadlock', search: 'orders', time_start: '7d' },
    },
  ],
  input: object({
    ...connectionInput,
    time_start: timeInput('From', '1h'),
    time_end: timeInput('Until', 'now'),
    class: optional(
      text({ maxLength: 1000, pattern: '^[a-z0-9_]+(,[a-z0-9_]+)*$', description: 'With commas between.' }),
    ),
    severity: optional(oneOf(LOG_SEVERITIES)),
    sqlstate: optional(text({ pattern: '^[0-9A-Z]{5}$' })),
    database_name: optional(text({ maxLength: 63 })),
    user_name: optional(text({ maxLength: 63 })),
    application_name: optional(text({ maxLength: 63 })),
    process_id: optional(text({ pattern: '^[0-9]{1,10}$' })),
    search: optional(
      text({
        minLength: 1,
        maxLength: 200,
        description: 'Words and "phrases" that are all in the texts; `order*` is any word that begins so.',
      }),
    ),
    limit: limitInput(20, 100),
    cursor: optional(text({ pattern: '^[0-9]{1,16}-[0-9]{1,18}$', description: 'Of the answer before.' })),
  }),
  async run(ctx, { connection_id: named, time_start = '1h', time_end = 'now', limit = 20, ...asked }) {
    const connection_id = await connectionFor(ctx, named);
    const span = spanOf(ctx, ['time_start', time_start], ['time_end', time_end]);
    const window = { start_time: wire(span.from), end_time: wire(span.to) };
    const counts = await getConnectionLogCounts(ctx, connection_id, {
      ...window,
      ...(asked.database_name !== undefined && { database_name: asked.database_name }),
    });
    const mayRead = hasPermission(ctx.principal, 'read_logs');
    const sections = mayRead
      ? [
          eventsSection(
            await listConnectionLogEvents(ctx, connection_id, { ...window, ...chosen(asked), limit }),
          ),
        ]
      : [];
    return answer(ctx, {
      about: `Log of connection ${connection_id} from ${window.start_time} to ${window.end_time}: ${many(counts.total_events, 'event')}`,
      source: `the log of the server, last looked at ${counts.reading.looked_at ?? 'never'}`,
      page: spanPage(connection_id, 'logs', span),
      notes: [...notesOf(counts), ...(mayRead ? [] : [NO_TEXTS])],
      sections: [classesSection(counts), ...sections],
    });
  },
});
