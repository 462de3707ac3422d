// The load of a server: how many sessions were active on average, and what they did or who they were.
import { byId, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { compareQuery, windowQuery } from '../metrics/metrics.schemas.ts';

export const LOAD_SPLITS = [
  'wait_class',
  'wait_event',
  'statement',
  'user',
  'application',
  'client',
  'database',
] as const;
const TIERS = ['samples', '1m', '15m', '1h'] as const;

const values = () =>
  s.list(s.nullable(s.number()), { description: 'One for each bucket; null where nothing was sampled.' });
const mean = () => s.nullable(s.number({ description: 'Over what was sampled of the window.' }));

const LoadSeries = {
  mean: mean(),
  values: values(),
  compared_mean: s.optional(mean()),
  compared: s.optional(values()),
};

const LoadTotal = s.component('LoadTotal', LoadSeries);

const LoadMember = s.component('LoadMember', {
  name: s.nullable(
    s.text({
      description:
        'Class of wait, CPU for those on the processor or ready for it; class and event with a colon between; id of the statement; role, application, address or database. Null: sessions without one, and the rest.',
    }),
  ),
  is_rest: s.boolean({ description: 'All others together.' }),
  database: s.optional(s.nullable(s.text({ description: 'Of a statement.' }))),
  query_text: s.optional(
    s.nullable(s.text({ description: 'Of a statement, normalised; null where it was not read.' })),
  ),
  ...LoadSeries,
});

const LoadRead = s.component('LoadRead', {
  tier: s.oneOf(TIERS, { description: 'Samples as they were taken, or rollups of that width.' }),
  resolution_seconds: s.number({
    description: 'How far apart samples are at least, or how wide rollups are.',
  }),
  members_per_span: s.nullable(
    s.integer({
      description:
        'How many members a span tells apart at most, all others being its rest; null: all of them.',
    }),
  ),
  start_time: s.timestamp(),
  end_time: s.timestamp(),
});

const told = {
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  coverage: s.number({ description: 'Share of the window that was sampled, from 0 to 1.' }),
  read: s.list(LoadRead, {
    description: 'What was read of it from where, the oldest first; empty: nothing is known.',
  }),
};

export const LoadResponse = s.component('LoadResponse', {
  connection_id: s.id(),
  split_by: s.oneOf(LOAD_SPLITS),
  bucket_seconds: s.number({ description: 'Of each bucket; the first begins at start_time.' }),
  ...told,
  processors: s.object({
    count: s.nullable(s.number({ description: 'A fraction where a control group allows one.' })),
    reason: s.nullable(s.text({ description: 'Why the count is not known.' })),
    as_of: s.nullable(s.timestamp({ description: 'When it was told.' })),
  }),
  total: LoadTotal,
  members: s.list(LoadMember, {
    description:
      'Classes of wait with CPU first; of all else the ten largest of the window, largest first, then the rest.',
  }),
  members_reason: s.nullable(
    s.text({
      description:
        'Why members are not known of all that the total is known of, or only the largest of each span are.',
    }),
  ),
  compared: s.optional(s.object(told, { description: 'The second window, with compare.' })),
});

const window = { start_time: '2026-11-20T10:00:00.000Z', end_time: '2026-11-20T10:03:00.000Z' };

export const getConnectionLoad = operation({
  id: 'getConnectionLoad',
  route: 'GET /api/v1/connections/{id}/load',
  tag: 'metrics',
  summary: 'Average active sessions over a window',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  query: s.object({
    split_by: s.optional(s.oneOf(LOAD_SPLITS, { default: 'wait_class' })),
    buckets: s.optional(s.integer({ minimum: 1, maximum: 500, default: 60 })),
    ...windowQuery('1h'),
    compare: compareQuery,
  }),
  extra: true,
  success: ok(LoadResponse, {
    connection_id: 1,
    split_by: 'wait_class',
    bucket_seconds: 60,
    ...window,
    coverage: 0.667,
    read: [{ tier: 'samples', resolution_seconds: 1, members_per_span: null, ...window }],
    processors: { count: 8, reason: null, as_of: '2026-11-20T09:57:12.000Z' },
    total: { mean: 5, values: [4, null, 6] },
    members: [
      { name: 'CPU', is_rest: false, mean: 3, values: [4, null, 2] },
      { name: 'Lock', is_rest: false, mean: 2, values: [0, null, 4] },
    ],
    members_reason: null,
  }),
  notes: [
    'Active: running a statement, or a process of the server at work; idle in a transaction is not. The monitor itself is left out.',
    'Read from samples of every second, from rollups by class of wait where those say the same of such buckets, and from coarser ones of the time of which samples are kept no longer. No bucket is narrower than a second.',
    'By any other split than the class of wait, windows shorter than 24 hours are read from samples while those are kept. Longer and older ones are read from rollups of 15 minutes or an hour, which tell the 20 largest members of each span apart and count all others in the rest.',
    'start_time and end_time replace time_range and must come together (at most 366 days apart).',
    'compare answers a second window of the same length on the same grid, with the members of the first one.',
  ],
});
