// What checks of statements share: what each has cost since it is counted, and its share of all. Guards: what was counted for less
// than ten minutes proves nothing; what runs inside functions is counted with its caller, not twice. Pure.
import { greatest } from '../../kernel/lists.ts';
import { countedBriefly, countedFrom, isCountedBriefly, LEAST_COUNTED_MS } from './counted.ts';
import type { Facts, Item } from './facts.ts';
import type { Gone, Judgement, Problem, Reads } from './types.ts';

export interface Statement {
  item: Item;
  queryid: string;
  calls: number;
  /** Milliseconds of executing, and of one call. */
  time: number;
  mean: number;
  /** Of all that the server executed, from 0 to 1. */
  share: number;
  since: number;
}

/** Columns that every check of statements reads. */
const STATEMENT_COLUMNS = [
  'userid',
  'dbid',
  'toplevel',
  'queryid',
  'username',
  'calls',
  'total_exec_time',
  'stats_since',
  'stats_reset',
] as const;

export const readsOf = (columns: readonly string[]): Reads => ({
  pg_stat_statements: [...STATEMENT_COLUMNS, ...columns],
});

const statementKey = (item: Item): string =>
  [item.text('userid'), item.text('queryid'), item.flag('toplevel') ?? true].join('/');

/** Those that clients sent. */
export const sentStatements = (facts: Facts): Item[] =>
  facts.rows('pg_stat_statements').filter((item) => item.flag('toplevel') !== false);

/** Those of clients, whose counters are old enough. */
export function statementsOf(facts: Facts): Statement[] {
  const own = sentStatements(facts);
  const all = own.reduce((sum, item) => sum + (item.number('total_exec_time') ?? 0), 0);
  return own.flatMap((item) => {
    const [calls, time] = [item.number('calls') ?? 0, item.number('total_exec_time') ?? 0];
    const [queryid, since] = [item.text('queryid'), item.time('stats_since') ?? item.time('stats_reset')];
    if (queryid === null || since === null || calls === 0 || all === 0) return [];
    if (facts.now - since < LEAST_COUNTED_MS) return [];
    return [{ item, queryid, calls, time, mean: time / calls, share: time / all, since }];
  });
}

/** What to say when nothing was counted for long enough; undefined: something was. */
export function tooEarly(facts: Facts): Judgement | undefined {
  const resets = facts.rows('pg_stat_statements').flatMap((item) => item.time('stats_reset') ?? []);
  const newest = resets.length === 0 ? null : greatest(resets);
  if (newest === null) return undefined;
  const counted = countedFrom(newest, facts.now);
  return isCountedBriefly(counted)
    ? { found: [], unknown: [countedBriefly('Statements', counted)] }
    : undefined;
}

export const percentOf = (share: number): number => Math.round(1000 * share) / 10;

/** What names a finding of a statement, and the figures that all of them have. */
export const ofStatement = ({ item, queryid, calls, mean, share, since }: Statement) => ({
  database_name: item.database_name,
  object_name: `statement ${queryid}`,
  object_key: statementKey(item),
  since,
  evidence: {
    queryid,
    username: item.text('username'),
    calls,
    mean_exec_time: Math.round(mean * 1000) / 1000,
    percent_of_time: percentOf(share),
  },
});

/** Its counters are the only ones that are lost; what it costs afterwards is seen at once. */
export const countAnew = ({ item, queryid }: Statement): string =>
  [
    '-- Then reset the counters of this statement, so that the effect shows:',
    `select pg_stat_statements_reset(${item.text('userid')}, ${item.text('dbid')}, ${queryid});`,
  ].join('\n');

export const showText = ({ queryid }: Statement): string =>
  `select query from pg_stat_statements where queryid = ${queryid} limit 1;`;

/** The statement that a finding was about, as it is now. */
export const statementOf = (facts: Facts, { database_name, object_key }: Gone): Item | undefined =>
  facts
    .rows('pg_stat_statements')
    .find((item) => item.database_name === database_name && statementKey(item) === object_key);

/** Judges each statement, when they have been counted for long enough. */
export function judgeEach(facts: Facts, judge: (one: Statement) => Problem | []): Judgement {
  return tooEarly(facts) ?? { found: statementsOf(facts).flatMap(judge) };
}
