// Statements that take longer than the day before, by two days that were kept, side by side; where there is one reading, those that
// are fast at times and many times slower at others since they are counted. Guards: a statement counts where it was
// executed often enough on both days, and only when it matters for its server.
import { shownValue } from '../../kernel/shown-value.ts';
import type { DayRow } from './facts.ts';
import { SCAN_COLUMNS } from './large-table-scans.ts';
import { UNEVEN_COLUMNS, unevenStatements } from './statement-uneven.ts';
import { percentOf, tooEarly } from './statements.ts';
import { defineCheck, type Problem, unknown } from './types.ts';

/** As the changes between two times are told; more of it is worth a warning. */
const LEAST_FACTOR = 1.5;
const LEAST_SHARE = 0.05;
const NOTABLE_FACTOR = 3;
const NOTABLE_SHARE = 0.3;
const LEAST_CALLS = 20;
/** Of the server in the day: less than a minute is noise. */
const LEAST_MS = 60_000;

const ONE_READING =
  'Comparing needs readings of two days. From one reading, only statements with very uneven times are found.';

const figure = (values: DayRow['last'], name: string) => values[name] ?? null;

function foundOf({ group, last, before }: DayRow, all: number): Problem | [] {
  const queryid = String(group.queryid ?? '');
  const [calls, calls_before] = [figure(last, 'calls') ?? 0, figure(before, 'calls') ?? 0];
  const [time, time_before] = [figure(last, 'total_exec_time'), figure(before, 'total_exec_time')];
  if (time === null || !time_before || calls < LEAST_CALLS || calls_before < LEAST_CALLS) return [];
  const [mean, previous] = [time / calls, time_before / calls_before];
  const [factor, share] = [mean / previous, time / all];
  if (factor < LEAST_FACTOR || share < LEAST_SHARE || time < LEAST_MS) return [];
  return {
    database_name: String(group.database_name ?? ''),
    object_name: `statement ${queryid}`,
    object_key: queryid,
    severity: factor >= NOTABLE_FACTOR && share >= NOTABLE_SHARE ? 'warning' : 'info',
    message: `Statement ${queryid} took ${shownValue(mean, 'ms')} in the last day and ${shownValue(previous, 'ms')} the day before. It takes ${percentOf(share)} % of the time of all statements.`,
    figure: { value: mean, unit: 'ms', promised: previous },
    evidence: {
      queryid,
      mean_time: mean,
      previous_mean_time: previous,
      factor: Math.round(factor * 100) / 100,
      calls: Math.round(calls),
      previous_calls: Math.round(calls_before),
      percent_of_time: percentOf(share),
    },
    remedy: [
      '-- Check what changed: plan, table sizes, statistics, settings. If statistics are stale, run analyze.',
      `select query from pg_stat_statements where queryid = ${queryid} limit 1;`,
    ].join('\n'),
  };
}

export const check = defineCheck({
  name: 'statement_slower',
  category: 'statements',
  title: 'Slower statement',
  figureName: 'mean time',
  meaning: 'The statement takes longer than before, and enough of the total time to matter.',
  advice: 'Find out what changed: its plan, its tables, or concurrent load.',
  caution: 'Another day may bring other values. A batch at the end of the month is slower than usual.',
  source: 'using-explain.html',
  proof: 'measured',
  reads: { pg_stat_statements: UNEVEN_COLUMNS },
  uses: {
    pg_stat_all_tables: SCAN_COLUMNS,
    pg_stat_database: ['datname', 'tup_returned', 'stats_reset'],
  },
  days: {
    pg_stat_statements: {
      metrics: ['total_exec_time', 'calls'],
      by: ['database_name', 'queryid'],
    },
  },
  judge: (facts) => {
    const rows = facts.days('pg_stat_statements') ?? [];
    // Without two days to compare, what is counted since the statistics began is what there is.
    if (!rows.some(({ before }) => (before.calls ?? 0) > 0)) {
      const found = unevenStatements(facts);
      const { unknown: early } = tooEarly(facts) ?? unknown(ONE_READING);
      return { found, ...(found.length === 0 && early && { unknown: early }) };
    }
    const all = rows.reduce((sum, { last }) => sum + (last.total_exec_time ?? 0), 0);
    return { found: all > 0 ? rows.flatMap((row) => foundOf(row, all)) : [] };
  },
  figureAfter: (facts, { database_name, object_key }) => {
    const last = facts
      .days('pg_stat_statements')
      ?.find(({ group }) => group.database_name === database_name && group.queryid === object_key)?.last;
    return last?.total_exec_time && last.calls ? last.total_exec_time / last.calls : null;
  },
});
