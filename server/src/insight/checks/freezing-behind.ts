// Databases whose oldest rows should have been frozen: autovacuum was forced to, and did not finish.

import { rule as mxidRule } from '../../alerting/rules/multixact-age-high.ts';
import { rule as xidRule } from '../../alerting/rules/xid-age-high.ts';
import { wholeNumber } from '../../kernel/shown-value.ts';
import { IDS_UNTIL_STOP } from '../../kernel/transaction-ids.ts';
import type { Facts, Item } from './facts.ts';
import { holderOfAge } from './horizon-holder.ts';
import { tableName } from './tables.ts';
import { defineCheck, type Problem } from './types.ts';
import { qualified, quotedInComment } from './units.ts';
import { firstSteps, oldestTables, WRAPAROUND_READS, WRAPAROUND_USES } from './wraparound.ts';

/** Autovacuum begins at 1; a large table may take it so far. */
const LEAST_RATIO = 1.25;
const NOTABLE_RATIO = 2;

const KINDS = [
  {
    age: 'xid_age',
    percent: 'xid_percent',
    of: 'relfrozenxid_age',
    words: 'transactions',
    limit: 'autovacuum_freeze_max_age',
    told: xidRule.threshold,
  },
  {
    age: 'mxid_age',
    percent: 'mxid_percent',
    of: 'relminmxid_age',
    words: 'multixacts',
    limit: 'autovacuum_multixact_freeze_max_age',
    told: mxidRule.threshold,
  },
] as const;

type Kind = (typeof KINDS)[number];

function foundOf(facts: Facts, item: Item, kind: Kind): Problem | [] {
  const [age, limit] = [item.number(kind.age), item.number(kind.limit)];
  const datname = item.text('datname') ?? '';
  if (age === null || limit === null || limit <= 0 || age < LEAST_RATIO * limit) return [];
  // From there on it is the limit itself that is told of.
  if ((item.number(kind.percent) ?? 0) > kind.told) return [];
  const holder = kind.age === 'xid_age' ? holderOfAge(facts, item, age) : undefined;
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
    severity: age >= NOTABLE_RATIO * limit ? 'warning' : 'info',
    message: `The oldest tuple of database "${datname}" is ${wholeNumber(age)} ${kind.words} old (autovacuum limit ${wholeNumber(limit)}). New ones are refused at ${wholeNumber(IDS_UNTIL_STOP)}.`,
    figure: { value: age, unit: 'transactions' },
    evidence: {
      [kind.age]: age,
      [kind.limit]: limit,
      percent_of_all: Math.round(10 * (item.number(kind.percent) ?? 0)) / 10,
      holder: holder?.holder ?? null,
    },
    rows: tables.map((one) => ({ table: tableName(one), [kind.of]: one.number(kind.of) })),
    remedy: [...firstSteps(facts, holder), `-- In database ${quotedInComment(datname)}:`, vacuum].join('\n'),
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
      ...WRAPAROUND_READS.pg_wraparound,
      'autovacuum_freeze_max_age',
      'autovacuum_multixact_freeze_max_age',
    ],
  },
  uses: WRAPAROUND_USES,
  judge: (facts) => ({
    found: facts.rows('pg_wraparound').flatMap((item) => KINDS.flatMap((kind) => foundOf(facts, item, kind))),
  }),
  figureAfter: (facts, { database_name, object_key }) =>
    facts
      .rows('pg_wraparound')
      .find((item) => item.text('datname') === database_name)
      ?.number(object_key) ?? null,
});
