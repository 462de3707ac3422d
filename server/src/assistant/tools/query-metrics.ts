// Metrics of a probe over time, in buckets.

import { queryMetrics } from '../../history/history.ts';
import { AGGREGATIONS } from '../../history/metrics/metrics.schemas.ts';
import { integer, object, oneOf, optional, text } from '../../kernel/schema.ts';
import { answer, type Table } from './support/answer.ts';
import { connectionFor, connectionInput, spanOf, timeInput, wire } from './support/inputs.ts';
import { spanPage } from './support/pages.ts';
import { defineTool } from './types.ts';

interface Series {
  name: string;
  unit: string;
  data: readonly { time: string; value: number | null }[];
}

const isSeries = (value: unknown): value is Series =>
  typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data);

/** One row for each bucket, one column for each metric. */
function tableOf(series: readonly Series[]): Table {
  const times = [...new Set(series.flatMap(({ data }) => data.map(({ time }) => time)))].sort();
  const byTime = series.map(({ data }) => new Map(data.map(({ time, value }) => [time, value])));
  return {
    columns: ['time', ...series.map(({ name, unit }) => (unit === '' ? name : `${name} [${unit}]`))],
    rows: times.map((time) => [time, ...byTime.map((values) => values.get(time) ?? null)]),
  };
}

const dimension = (what: string) => optional(text({ maxLength: 255, description: `Only of this ${what}.` }));

export const tool = defineTool({
  name: 'query_metrics',
  title: 'Metrics over time',
  summary: 'Figures of a probe over time, in buckets.',
  description:
    'Reads metrics of a probe over a time range in equal buckets; time is where a bucket begins. Counters give the increase in the bucket, <counter>_per_sec the rate; gauges are aggregated. null means that nothing was measured. Name the metrics and take few buckets to keep the answer short; describe_probe says what there is.',
  cost: 'Up to four statements on our datastore; a range of weeks over many objects takes longest.',
  privilege: { id: 8, description: 'Read collected metrics over time' },
  most_statements: 3,
  examples: [
    {
      ask: 'How many transactions a second in the last six hours?',
      input: {
        ...{ connection_id: 1, probe_name: 'pg_stat_database', metrics: 'xact_commit_per_sec' },
        ...{ time_start: '6h', buckets: 24 },
      },
    },
  ],
  input: object({
    probe_name: text({ minLength: 1, maxLength: 100, description: 'From list_probes.' }),
    ...connectionInput,
    time_start: timeInput('From', '1h'),
    time_end: timeInput('Until', 'now'),
    buckets: optional(
      integer({ minimum: 1, maximum: 500, default: 150, description: 'Into how many parts.' }),
    ),
    metrics: optional(
      text({ maxLength: 4000, description: 'With commas between; all columns when left out.' }),
    ),
    database_name: dimension('database'),
    schema_name: dimension('schema'),
    table_name: dimension('table'),
    aggregation: optional(oneOf(AGGREGATIONS, { default: 'avg', description: 'Of gauges in a bucket.' })),
  }),
  async run(ctx, { time_start = '1h', time_end = 'now', buckets = 150, aggregation = 'avg', ...asked }) {
    const connection_id = await connectionFor(ctx, asked.connection_id);
    const { from, to } = spanOf(ctx, ['time_start', time_start], ['time_end', time_end]);
    const range = { start_time: wire(from), end_time: wire(to) };
    const found: readonly unknown[] = await queryMetrics(ctx, {
      ...asked,
      connection_id,
      ...range,
      buckets,
      aggregation,
    });
    const series = found.filter(isSeries);
    const width = Math.round((to - from) / buckets / 1000);
    return answer(ctx, {
      about: `${asked.probe_name} of connection ${connection_id}, ${wire(from)} to ${wire(to)}, ${buckets} buckets of ${width} s`,
      source: `samples of the probe ${asked.probe_name}; gauges are ${aggregation} of a bucket`,
      page: spanPage(connection_id, 'activity', { from, to }),
      sections: [
        {
          ...tableOf(series),
          rest: 'Name fewer metrics or take fewer buckets.',
          empty: 'Nothing was measured then. get_coverage says whether and why the probe does not run.',
        },
      ],
    });
  },
});
