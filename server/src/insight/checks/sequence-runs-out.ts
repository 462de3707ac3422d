// Sequences and the integer columns they feed, near their end. Guards: a sequence whose last value our role may not read is
// unknown, with the grant that shows it.

import { rule as critical } from '../../alerting/rules/sequence-usage-critical.ts';
import { rule as high } from '../../alerting/rules/sequence-usage-high.ts';
import type { Severity } from '../../alerting/rules/types.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { defineCheck, type Problem, type Unknown } from './types.ts';
import { named, qualified, quoted } from './units.ts';

/** Beyond info only what an alert would tell. */
const LEAST_PERCENT = 50;
const LARGEST = 9_223_372_036_854_775_807n;

function severityOf(percent: number): Severity {
  if (percent > critical.threshold) return 'critical';
  return percent > high.threshold ? 'warning' : 'info';
}

function remedyOf(item: Item): string {
  const sequence = qualified(item.text('schemaname'), item.text('sequencename'));
  const table = item.text('table_name');
  const column = item.text('column_name');
  const isBig = item.text('data_type') === 'bigint' && item.text('column_type') !== 'integer';
  const widen =
    item.text('column_type') === 'integer' || item.text('column_type') === 'smallint'
      ? [
          `alter table ${qualified(item.text('table_schema'), table)} alter column ${quoted(column ?? '')} type bigint;`,
        ]
      : [];
  const way = (item.number('increment_by') ?? 1) < 0 ? 'no minvalue' : `maxvalue ${LARGEST}`;
  return [...widen, `alter sequence ${sequence}${isBig ? '' : ' as bigint'} ${way};`].join('\n');
}

function foundOf(item: Item, percent: number): Problem {
  const name = named(item.text('schemaname'), item.text('sequencename'));
  const table = item.text('table_name');
  const column =
    table === null
      ? null
      : `${named(item.text('table_schema'), table)}.${item.text('column_name')} (${item.text('column_type')})`;
  return {
    database_name: item.database_name,
    object_name: name,
    object_key: item.text('seqrelid') ?? name,
    severity: severityOf(percent),
    message: `Sequence "${name}"${column === null ? '' : `, which feeds ${column},`} has used ${shownValue(percent, 'percent')} of its values.`,
    figure: { value: percent, unit: 'percent' },
    evidence: {
      last_value: item.text('last_value'),
      max_value: item.text('max_value'),
      column,
      used_percent: item.number('used_percent'),
      column_used_percent: item.number('column_used_percent'),
    },
    remedy: remedyOf(item),
  };
}

/** Who we are there; null where roles were not read. */
const ownRole = (facts: Facts) =>
  facts
    .rows('pg_roles')
    .find((role) => role.flag('is_own') === true)
    ?.text('rolname') ?? null;

/** One for each schema in a database, with its grant. */
function unreadable(facts: Facts): Unknown[] {
  const hidden = facts.rows('pg_sequence_usage').filter((item) => item.flag('is_readable') === false);
  const groups = Map.groupBy(hidden, (item) => `${item.database_name}\n${item.text('schemaname')}`);
  return [...groups.values()].flatMap((items) => {
    const [first] = items;
    if (!first) return [];
    const schema = first.text('schemaname') ?? '';
    const role = ownRole(facts);
    const many = `${items.length} sequence${items.length > 1 ? 's' : ''}`;
    const because = `The monitoring role lacks permission to read ${many} of schema "${schema}", so their usage is unknown.`;
    const to = role === null ? 'current_user' : quoted(role);
    const mend = `grant select on all sequences in schema ${quoted(schema)} to ${to};`;
    return [{ because, mend, database_name: first.database_name }];
  });
}

export const check = defineCheck({
  name: 'sequence_runs_out',
  category: 'storage',
  title: 'Sequence exhaustion',
  figureName: 'of the sequence',
  meaning: 'After the last value, every insert that needs a new one fails.',
  advice: 'Convert the column and its sequence to bigint before it is urgent.',
  caution:
    'alter table rewrites the table and its indexes under a lock that blocks reads and writes. Referencing columns need the same change.',
  source: 'datatype-numeric.html#DATATYPE-SERIAL',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_sequence_usage: [
      'seqrelid',
      'schemaname',
      'sequencename',
      'data_type',
      'table_schema',
      'table_name',
      'column_name',
      'column_type',
      'is_readable',
      'increment_by',
      'max_value',
      'last_value',
      'used_percent',
      'column_used_percent',
      'exhausted_percent',
    ],
  },
  uses: { pg_roles: ['rolname', 'is_own'] },
  judge: (facts) => ({
    found: facts.rows('pg_sequence_usage').flatMap((item) => {
      const percent = item.number('exhausted_percent');
      return percent !== null && percent > LEAST_PERCENT ? [foundOf(item, percent)] : [];
    }),
    unknown: unreadable(facts),
  }),
  figureAfter: (facts, gone) =>
    facts
      .rows('pg_sequence_usage')
      .find((item) => item.database_name === gone.database_name && item.text('seqrelid') === gone.object_key)
      ?.number('exhausted_percent') ?? null,
});
