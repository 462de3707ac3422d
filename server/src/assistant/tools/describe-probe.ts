// The columns and metrics of a probe, as the catalog declares them.
import { demandProbe } from '../../estate/estate.ts';
import { object, text } from '../../kernel/schema.ts';
import { metricsOf } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import { answer, type Section } from './support/answer.ts';
import { defineTool } from './types.ts';

function sectionsOf(probe: Probe): Section[] {
  const columns: Section = {
    title: 'Columns',
    columns: ['name', 'type', 'kind', 'unit', 'meaning'],
    rows: probe.columns.map(({ name, type, kind, unit, description }) => [
      ...[name, type, kind, unit ?? '', description],
    ]),
    empty: 'It has no columns.',
  };
  const more = metricsOf(probe).filter(({ isColumn, value }) => !isColumn && value.kind !== 'rate');
  const metrics: Section = {
    title: 'Further metrics',
    columns: ['name', 'unit', 'meaning'],
    rows: more.map(({ name, unit, description }) => [name, unit, description]),
    empty: 'None.',
  };
  return [columns, metrics];
}

export const tool = defineTool({
  name: 'describe_probe',
  title: 'Columns of a probe',
  summary: 'The columns and metrics of a probe, with units.',
  description:
    'Says what a probe collects: its columns with type, kind and unit, and the metrics that are made of them. A label or key names what the row is of; a gauge is a level; a counter is read by query_metrics as the increase in each bucket, and as <counter>_per_sec as the rate.',
  cost: 'Nothing: it is part of the program.',
  privilege: { id: 7, description: 'Describe the columns of a probe' },
  most_statements: 1,
  examples: [{ ask: 'What is known of tables?', input: { probe_name: 'pg_stat_all_tables' } }],
  input: object({ probe_name: text({ minLength: 1, maxLength: 100, description: 'From list_probes.' }) }),
  async run(ctx, { probe_name }) {
    const probe = demandProbe(probe_name);
    const { name, description, intervalSeconds, retentionDays } = probe;
    return answer(ctx, {
      about: `${name}: ${description}`,
      source: `the catalog of probes; built to run every ${intervalSeconds} s and to be kept ${retentionDays} days`,
      sections: sectionsOf(probe),
    });
  },
});
