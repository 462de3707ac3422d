// Databases whose oldest rows should have been frozen: autovacuum was forced to, and did not finish.

import { rule as lateRule } from '../../alerting/rules/transaction-wraparound.ts';
import { wholeNumber } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { tableName } from './tables.ts';
import { defineCheck, type Problem } from './types.ts';
import { qualified } from './units.ts';

const XIDS = 2_147_483_647;
/** Autovacuum begins at 1; a large table may take it so far. */
const LEAST_RATIO = 1.25;
const NOTABLE_RATIO = 2;

const KINDS = [
  { age: 'xid_age', limit: 'autovacuum_freeze_max_age', of: 'relfrozenxid_age', words: 'transactions' },
  {
    age: 'mxid_age',
    limit: 'autovacuum_multixact_freeze_max_age',
    of: 'relminmxid_age',
    words: 'multixacts',
  },
] as const;

type Kind = (typeof KINDS)[number];

function oldestTables(facts: Facts, datname: string, { of }: Kind): Item[] {
  return facts
    .rows('pg_stat_all_tables')
    .filter((item) => item.database_name === datname && item.number(of) !== null)
    .sort((a, b) => (b.number(of) ?? 0) - (a.number(of) ?? 0))
    .slice(0, 10);
}

function foundOf(facts: Facts, item: Item, kind: Kind): Problem | [] {
  const [age, limit] = [item.number(kind.age), item.number(kind.limit)];
  const datname = item.text('datname') ?? '';
  if (age === null || limit === null || limit <= 0 || age < LEAST_RATIO * limit) return [];
  const percent = (100 * age) / XIDS;
  const tables = oldestTables(facts, datname, kind);
  const oldest = tables.map((one) => qualified(one.text('schemaname'), one.text('relname')));
  const vacuum =
    oldest.length > 0
      ? oldest.map((one) => `vacuum (freeze, verbose) ${one};`).join('\n')
      : 'vacuum (freeze, verbose);';
  return {
    database_name: datname,
    object_name: '',
    object_key: kind.age,
    severity: percent >= lateRule.threshold ? 'critical' : age >= NOTABLE_RATIO * limit ? 'warning' : 'info',
    message: `The oldest tuple of database "${datname}" is ${wholeNumber(age)} ${kind.words} old (autovacuum limit ${wholeNumber(limit)}). Writes stop at ${XIDS}.`,
    figure: { value: age, unit: 'transactions' },
    evidence: {
      [kind.age]: age,
      [kind.limit]: limit,
      percent_of_all: Math.round(percent * 10) / 10,
      holder: item.text('holder'),
    },
    rows: tables.map((one) => ({ table: tableName(one), [kind.of]: one.number(kind.of) })),
    remedy: `-- In that database:\n${vacuum}`,
  };
}

export const check = defineCheck({
  name: 'freezing_behind',
  category: 'vacuum',
  title: 'Overdue freezing of old tuples',
  figureName: 'age of the oldest ID',
  meaning: 'Before transaction IDs run out, PostgreSQL refuses writes until the oldest tables are vacuumed.',
  advice: 'Find out what blocks autovacuum, then vacuum the oldest tables.',
  caution: 'Vacuum reads every unfrozen page of these tables. End what holds back vacuum first.',
  source: 'routine-vacuuming.html#VACUUM-FOR-WRAPAROUND',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_wraparound: [
      'datname',
      'xid_age',
      'mxid_age',
      'autovacuum_freeze_max_age',
      'autovacuum_multixact_freeze_max_age',
      'holder',
    ],
  },
  uses: { pg_stat_all_tables: ['schemaname', 'relname', 'relfrozenxid_age', 'relminmxid_age'] },
  judge: (facts) => ({
    found: facts.rows('pg_wraparound').flatMap((item) => KINDS.flatMap((kind) => foundOf(facts, item, kind))),
  }),
  figureAfter: (facts, { database_name, object_key }) =>
    facts
      .rows('pg_wraparound')
      .find((item) => item.text('datname') === database_name)
      ?.number(object_key) ?? null,
});
