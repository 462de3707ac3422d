// One statement of a server: its text, what it cost over a window and in the one before, where, and what it waited for.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { COMPARISONS, windowQuery } from '../metrics/metrics.schemas.ts';

const total = (description: string) => s.nullable(s.number({ description }));

const QueryFigure = s.component('QueryFigure', {
  metric: s.text(),
  unit: s.text(),
  description: s.text({ description: 'What it is, in a sentence.' }),
  total: total('Over the whole window, of what was measured in it.'),
  compared_total: total('In the window before.'),
  per_second: total('Of a counter; null of others.'),
  compared_per_second: total('In the window before.'),
});

const values = () => s.list(s.nullable(s.number()), { description: 'One for each bucket; null is a gap.' });

const QuerySeries = s.component('QuerySeries', { metric: s.text(), values: values(), compared: values() });

const QueryPlace = s.component('QueryPlace', {
  database_name: s.text(),
  userid: s.nullable(s.text({ description: 'Object id of the role.' })),
  username: s.nullable(s.text({ description: 'Null where the role is gone.' })),
  first_seen: s.timestamp(),
  last_seen: s.timestamp({
    description: 'To within a day; of one that ran in the window to within one of its buckets.',
  }),
  figures: s.list(QueryFigure),
});

const QueryWait = s.component('QueryWait', {
  wait_class: s.nullable(s.text({ description: 'Null: on the processor, or ready for it.' })),
  wait_event: s.nullable(s.text()),
  session_seconds: s.number({ description: 'Sessions times seconds.' }),
  percent: s.number({ description: 'Of the time that sampled sessions spent in it.' }),
});

export const QueryDetail = s.component('QueryDetail', {
  connection_id: s.id(),
  queryid: s.text(),
  query: s.nullable(
    s.text({ description: 'Normalised, secrets blanked, at most 64 KiB; null where it was not read.' }),
  ),
  is_own: s.nullable(
    s.boolean({ description: 'Whether it is one of our own; null where the text is not known.' }),
  ),
  first_seen: s.timestamp(),
  last_seen: s.timestamp({
    description: 'To within a day; of one that ran in the window to within one of its buckets.',
  }),
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  compared_start_time: s.timestamp({
    description: 'Of the window of equal length that it is compared with.',
  }),
  bucket_seconds: s.number({ description: 'Of each bucket; the first begins at start_time.' }),
  figures: s.list(QueryFigure, { description: 'Of all databases and roles together.' }),
  series: s.list(QuerySeries, {
    description: 'The same by bucket; at the ends of what was measured only of buckets measured whole.',
  }),
  places: s.list(QueryPlace, {
    description: 'By database and role, the most expensive first; at most 100.',
  }),
  waits: s.object({
    start_time: s.timestamp({ description: 'Sessions are looked at over the last six hours of the window.' }),
    end_time: s.timestamp(),
    events: s.list(QueryWait, { description: 'The longest first.' }),
    reason: s.nullable(s.text({ description: 'Why there are none.' })),
  }),
});

const at = '2026-11-20T10:00:00.000Z';
const figure = {
  metric: 'calls',
  unit: 'count',
  description: 'Times executed.',
  total: 1200,
  compared_total: 900,
  per_second: 0.333,
  compared_per_second: 0.25,
};

export const getQueryDetail = operation({
  id: 'getQueryDetail',
  route: 'GET /api/v1/connections/{id}/queries/{queryid}',
  tag: 'metrics',
  summary: 'One statement of a server',
  access: { connection: 'id', need: 'read' },
  params: s.object({
    id: s.id(),
    queryid: s.text({
      pattern: '^-?[0-9]{1,19}$',
      description: 'a whole number of 64 bits, as text',
    }),
  }),
  query: s.object({
    ...windowQuery('1h'),
    buckets: s.optional(s.integer({ minimum: 1, maximum: 500, default: 60 })),
    compare: s.optional(s.oneOf(COMPARISONS, { default: 'previous' })),
  }),
  paramsExample: { id: 1, queryid: '-4725382164029184731' },
  extra: true,
  success: ok(QueryDetail, {
    connection_id: 1,
    queryid: '-4725382164029184731',
    query: 'select id from orders where customer = $1',
    is_own: false,
    first_seen: '2026-10-01T08:00:00.000Z',
    last_seen: at,
    start_time: '2026-11-20T09:00:00.000Z',
    end_time: at,
    compared_start_time: '2026-11-20T08:00:00.000Z',
    bucket_seconds: 60,
    figures: [figure],
    series: [{ metric: 'calls', values: [20, null, 22], compared: [15, 15, 15] }],
    places: [
      {
        database_name: 'shop',
        userid: '16384',
        username: 'app',
        first_seen: '2026-10-01T08:00:00.000Z',
        last_seen: at,
        figures: [figure],
      },
    ],
    waits: {
      start_time: '2026-11-20T09:00:00.000Z',
      end_time: at,
      events: [{ wait_class: 'IO', wait_event: 'DataFileRead', session_seconds: 84.5, percent: 62.1 }],
      reason: null,
    },
  }),
  notes: [
    'Figures are increases inside the window, aware of resets and evictions, and ratios of them; what was not measured is null.',
    'A statement that was never seen on the server is 404; one that is known and idle has zeros.',
    'Waits are of sessions that were sampled every second while they ran it, in any database; that takes compute_query_id.',
    'start_time and end_time replace time_range and must come together (at most 366 days apart).',
  ],
});
