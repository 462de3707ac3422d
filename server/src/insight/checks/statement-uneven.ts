// What one reading says of a statement that became slower: many of its calls are many times slower than its fastest ones. Pure. Guards: of
// calls of two speeds, least, mean and variance say how slow the slow ones are and how many; a few slow calls among many are no finding.
// Only where nearly nothing lies between, or a large table is read whole meanwhile, it is more than a note, since values may differ.
import { shownTime, shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { tablesReadWhole } from './large-table-scans.ts';
import { percentOf, sentStatements } from './statements.ts';
import type { Problem } from './types.ts';

/** Of the greatest variance between least and greatest, which needs all calls at the two ends. */
const TWO_SPEEDS = 0.4;
const LEAST_FACTOR = 20;
/** Milliseconds of a slow call: less is not felt. */
const LEAST_SLOW_MS = 5;
const LEAST_CALLS = 20;
/** About so many of them are slow. */
const LEAST_SLOW = 10;
const LEAST_MS = 5000;
const LEAST_SHARE = 0.05;
const NOTABLE_SHARE = 0.3;
const NOTABLE_FACTOR = 50;

interface Spread {
  readonly calls: number;
  readonly time: number;
  readonly least: number;
  readonly greatest: number;
  readonly mean: number;
  readonly deviation: number;
}

function spreadOf(item: Item): Spread | undefined {
  const [calls, time] = [item.number('calls'), item.number('total_exec_time')];
  const [least, greatest] = [item.number('min_exec_time'), item.number('max_exec_time')];
  const deviation = item.number('stddev_exec_time');
  if (calls === null || time === null || least === null || greatest === null || deviation === null)
    return undefined;
  return calls < LEAST_CALLS ? undefined : { calls, time, least, greatest, mean: time / calls, deviation };
}

interface Slow {
  /** Milliseconds of a slow call. */
  readonly ms: number;
  /** About how many there are. */
  readonly calls: number;
}

/** Of calls of two speeds, the faster of which is the least. */
function slowOf({ least, mean, deviation, calls }: Spread): Slow | undefined {
  const above = mean - least;
  if (above <= 0) return undefined;
  const slow = above + deviation ** 2 / above;
  return { ms: least + slow, calls: Math.round((calls * above) / slow) };
}

const isFelt = ({ least }: Spread, slow: Slow) =>
  slow.calls >= LEAST_SLOW && slow.ms >= LEAST_SLOW_MS && slow.ms >= LEAST_FACTOR * least;

/** Nearly nothing lies between the least and the greatest. */
const isOfTwoSpeeds = ({ least, greatest, mean, deviation }: Spread) =>
  deviation ** 2 >= TWO_SPEEDS * (greatest - mean) * (mean - least);

interface Uneven {
  readonly item: Item;
  readonly spread: Spread;
  readonly slow: Slow;
  /** Of the time of all statements, from 0 to 1. */
  readonly share: number;
  readonly since: number;
}

function foundOf(facts: Facts, { item, spread, slow, share, since }: Uneven): Problem {
  const queryid = item.text('queryid') ?? '';
  const { calls, least, greatest, mean } = spread;
  const factor = slow.ms / Math.max(least, 0.001);
  const tables = tablesReadWhole(facts, item.database_name);
  const isProven = isOfTwoSpeeds(spread) || tables.length > 0;
  const isMuch = share >= NOTABLE_SHARE && factor >= NOTABLE_FACTOR && isProven;
  const meanwhile =
    tables.length === 0 ? '' : ` Frequent sequential scans of ${tables.slice(0, 3).join(', ')}.`;
  return {
    database_name: item.database_name,
    object_name: `statement ${queryid}`,
    object_key: queryid,
    severity: isMuch ? 'warning' : 'info',
    message: `Statement ${queryid} took ${shownValue(least, 'ms')} at best, and about ${shownValue(slow.ms, 'ms')} in ${wholeNumber(slow.calls)} of ${wholeNumber(calls)} calls since ${shownTime(since)}. It takes ${percentOf(share)} % of the time of all statements.${meanwhile}`,
    figure: { value: mean, unit: 'ms', promised: least },
    evidence: {
      queryid,
      ...{ min_exec_time: least, mean_exec_time: mean, max_exec_time: greatest },
      ...{ stddev_exec_time: spread.deviation, calls, factor: Math.round(factor) },
      percent_of_time: percentOf(share),
    },
    remedy: [
      '-- Check whether an index was dropped, its plan changed, or only some values are slow. Explain it with the values of a slow call.',
      `select query from pg_stat_statements where queryid = ${queryid} limit 1;`,
    ].join('\n'),
    since,
  };
}

export const UNEVEN_COLUMNS = [
  'queryid',
  'toplevel',
  'calls',
  'total_exec_time',
  'min_exec_time',
  'max_exec_time',
  'stddev_exec_time',
  'stats_since',
  'stats_reset',
] as const;

/** Statements of two speeds, as they are counted since their statistics began. */
export function unevenStatements(facts: Facts): Problem[] {
  const own = sentStatements(facts);
  const all = own.reduce((sum, item) => sum + (item.number('total_exec_time') ?? 0), 0);
  return own.flatMap((item) => {
    const [spread, since] = [spreadOf(item), item.time('stats_since') ?? item.time('stats_reset')];
    if (!spread || since === null || item.text('queryid') === null) return [];
    const [slow, share] = [slowOf(spread), spread.time / all];
    if (!slow || spread.time < LEAST_MS || share < LEAST_SHARE || !isFelt(spread, slow)) return [];
    return foundOf(facts, { item, spread, slow, share, since });
  });
}
