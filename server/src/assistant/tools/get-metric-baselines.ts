// What is usual of a metric on a server.

import { anomalyMetrics, getMetricBaselines, type Watched } from '../../history/history.ts';
import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { object, optional, text } from '../../kernel/schema.ts';
import { didYouMean } from '../../kernel/suggest.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { metricsOf } from '../../probes/metrics.ts';
import { answer, second } from './support/answer.ts';
import { connectionFor, connectionInput } from './support/inputs.ts';
import { defineTool } from './types.ts';

/** By the name that rules use, or with the probe before it; of several probes, each. */
function named(name: string): Watched[] {
  const all = probes.flatMap((probe) => metricsOf(probe).map((metric) => ({ probe, metric })));
  const found = all.filter(
    ({ probe, metric }) =>
      metric.wireName === name || metric.name === name || `${probe.name}.${metric.name}` === name,
  );
  if (found.length > 0) return found;
  const known = [...new Set(all.map(({ metric }) => metric.wireName))];
  throw new Fault(
    'bad_request',
    `There is no metric ${cutText(name, 80)}.${didYouMean(name, known)} describe_probe names the metrics of a probe.`,
  );
}

export const tool = defineTool({
  name: 'get_metric_baselines',
  title: 'What is usual',
  summary: 'What is usual of a metric on a server: mean, spread, percentiles.',
  description:
    'Says what is usual of metrics of a server over the last 7 days: mean, standard deviation, least, most and percentiles of the samples; counters as rates a second. Without metric_name those whose unusual values raise alerts. A metric with fewer than 30 samples is left out.',
  cost: 'Two statements on our datastore for each probe; up to a second.',
  privilege: { id: 13, description: 'Read what is usual for a metric' },
  most_statements: 3,
  examples: [
    {
      ask: 'How many sessions are usual?',
      input: { connection_id: 1, metric_name: 'pg_stat_database.numbackends' },
    },
  ],
  input: object({
    ...connectionInput,
    metric_name: optional(
      text({ minLength: 1, maxLength: 200, description: 'Such as pg_stat_database.numbackends.' }),
    ),
  }),
  async run(ctx, { metric_name, ...asked }) {
    const connection_id = await connectionFor(ctx, asked.connection_id);
    const watched = metric_name === undefined ? anomalyMetrics : named(metric_name);
    const groups = Map.groupBy(watched, ({ probe }) => probe.name);
    const rows = [];
    for (const [probe_name, of] of groups) {
      const metrics = of.map(({ metric }) => metric.name).join(',');
      const found = await getMetricBaselines(ctx, { connection_id, probe_name, metrics });
      for (const { metric, mean, stddev, min, max, p50, p95, p99 } of found)
        rows.push([probe_name, metric, mean, stddev, min, p50, p95, p99, max]);
    }
    return answer(ctx, {
      about: `What is usual on connection ${connection_id}`,
      source: `samples of the 7 days before ${second(ctx.clock.now())}`,
      page: `/servers/${connection_id}?tab=activity&range=7d`,
      sections: [
        {
          columns: ['probe', 'metric', 'mean', 'stddev', 'min', 'p50', 'p95', 'p99', 'max'],
          rows,
          empty:
            'Fewer than 30 samples are there, so the baseline is unknown. get_coverage says what is collected.',
        },
      ],
    });
  },
});
