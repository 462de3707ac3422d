// Indexes that are missing: the statements that cost most were parsed and planned on the server, and an index that would serve them was
// tried there (hypopg), or its cost estimated by the planner's own formula where none can be tried. Guards: what is only estimated has to be
// borne out by the blocks that the statements really read; writes, size and the whole workload of the table are weighed.
import { append } from '../../kernel/lists.ts';
import { shownCount, shownValue } from '../../kernel/shown-value.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { countedBriefly, countedFrom, isCountedBriefly, rateIn, SINCE_UNKNOWN } from './counted.ts';
import { type Cells, type Facts, objectsIn } from './facts.ts';
import {
  blocksPerCall,
  COST_PER_WRITE,
  type Gain,
  LEAST_SHARE,
  number,
  sinceOf,
  type Table,
  tablesOf,
  text,
  type Weighed,
  weighed,
} from './index-workload.ts';
import { tableName } from './tables.ts';
import { defineCheck, type Gone, type Judgement, type Problem, type Unknown } from './types.ts';
import { qualified, quoted } from './units.ts';

const NOTABLE_SHARE = 0.3;
const NOTABLE_CALLS = 10_000;
/** Of the time of one processor. */
const NOTABLE_BUSY = 0.02;

const rounded = (value: number) => Math.round(value * 10) / 10;

function remedyOf({ item }: Table, columns: readonly string[], gains: readonly Gain[]): string {
  const table = qualified(item.text('schemaname'), item.text('relname'));
  const ids = gains.map(({ statement }) => text(statement, 'queryid')).filter((id) => /^-?\d+$/.test(id));
  return [
    `create index concurrently on ${table} (${columns.map(quoted).join(', ')});`,
    '-- Then reset the counters of these statements, so that the effect shows:',
    ...ids.map((id) => `select pg_stat_statements_reset(0, 0, ${id});`),
  ].join('\n');
}

function messageOf({ item }: Table, { gains, calls, before, after, is_tried, candidate }: Weighed): string {
  const read = gains.length === 1 ? 'statement scans' : 'statements scan';
  const left = Math.round((100 * after) / Math.max(1, before));
  const how = is_tried
    ? `A hypothetical index, tried on the server, leaves ${left} % of the planner cost`
    : `By the planner formula, an index leaves about ${left} % of the planner cost`;
  const size = shownValue(number(candidate, 'bytes'), 'bytes');
  return `${gains.length} ${read} all of "${tableName(item)}", in ${shownCount(calls, 'call')}. ${how} of all statements on it. The index takes about ${size}.`;
}

const evidenceOf = ({ item }: Table, one: Weighed): Problem['evidence'] => ({
  table_bytes: item.number('table_bytes'),
  row_count: item.number('row_count'),
  rows_for_a_value: number(one.candidate, 'selected_rows'),
  calls: one.calls,
  percent_of_time: rounded(100 * one.share),
  cost_of_workload_before: Math.round(one.before),
  cost_of_workload_after: Math.round(one.after),
  cost_after_is: one.is_tried ? 'of the plan with the index' : 'estimated',
  rows_written_meanwhile: Math.round(one.writes),
  cost_of_writes: Math.round(one.writes * COST_PER_WRITE),
  index_bytes: number(one.candidate, 'bytes'),
});

const rowOf = ({ statement, before, after }: Gain) => ({
  queryid: text(statement, 'queryid'),
  calls: number(statement, 'calls'),
  blocks_per_call: rounded(number(statement, 'blocks') / Math.max(1, number(statement, 'calls'))),
  cost_before: rounded(before),
  cost_after: rounded(after),
});

/** Much of the time, and either of many calls or of calls that keep a processor busy. */
function isNotable(facts: Facts, { share, calls, gains }: Weighed, since: number | null): boolean {
  if (share < NOTABLE_SHARE || since === null) return false;
  const ms = gains.reduce((sum, { statement }) => sum + number(statement, 'time_ms'), 0);
  const busy = rateIn(ms, countedFrom(since, facts.now), HOUR_MS) / HOUR_MS;
  return calls >= NOTABLE_CALLS || busy >= NOTABLE_BUSY;
}

function foundOf(facts: Facts, table: Table, candidate: Cells): Problem | [] {
  const { item, statements } = table;
  const one = weighed(facts, table, candidate);
  const first = one?.columns[0];
  if (!one || first === undefined) return [];
  const { columns, gains, is_tried } = one;
  const since = sinceOf(facts, item.database_name);
  return {
    database_name: item.database_name,
    object_name: `${tableName(item)} (${columns.join(', ')})`,
    object_key: `${item.text('relid')}/${columns.join(',')}`,
    severity: isNotable(facts, one, since) ? 'warning' : 'info',
    proof: is_tried ? 'tried' : 'measured',
    message: messageOf(table, one),
    figure: {
      value: rounded(blocksPerCall(statements, first) ?? 0),
      unit: 'blocks',
      promised: 10 + number(candidate, 'selected_rows'),
    },
    evidence: evidenceOf(table, one),
    rows: gains.map(rowOf),
    remedy: remedyOf(table, columns, gains),
    ...(since !== null && { since }),
  };
}

/** Statements that take a notable part of the time and could not be judged, by reason. */
function unjudged({ item, role, statements, all_ms }: Table): Unknown[] {
  const heavy = statements.filter(
    (one) => text(one, 'because') !== '' && number(one, 'time_ms') >= LEAST_SHARE * Math.max(1, all_ms),
  );
  const { database_name } = item;
  return [...Map.groupBy(heavy, (one) => text(one, 'because'))].map(([because, own]) => ({
    because: `${own.length} of the most expensive statements on "${tableName(item)}" could not be checked. ${because}`,
    mend: because.startsWith('Our role may not read')
      ? `grant select on ${qualified(item.text('schemaname'), item.text('relname'))} to ${quoted(role)};`
      : null,
    database_name,
  }));
}

function unreadTexts(facts: Facts): Unknown[] {
  const found = new Map<string, Unknown>();
  for (const item of facts.rows('pg_index_advice'))
    for (const one of objectsIn(item.object('advice')?.unread)) {
      const { database_name } = item;
      const because = `${number(one, 'count')} of the most expensive statements could not be checked. ${text(one, 'because')}`;
      found.set(`${database_name}\n${because}`, { because, mend: null, database_name });
    }
  return [...found.values()];
}

function judge(facts: Facts): Judgement {
  const items = facts.rows('pg_index_advice');
  const untried = [
    ...new Set(items.filter((item) => !item.object('advice')).map(({ database_name }) => database_name)),
  ];
  const unknown: Unknown[] = untried.map((database_name) => ({
    because: 'Statements have not been planned there yet.',
    mend: null,
    database_name,
  }));
  const found: Problem[] = [];
  for (const table of tablesOf(facts)) {
    const { database_name } = table.item;
    const since = sinceOf(facts, database_name);
    const counted = since === null ? null : countedFrom(since, facts.now);
    if (counted === null || isCountedBriefly(counted)) {
      const early = counted && countedBriefly('Statements', counted);
      unknown.push({ ...(early ?? { because: SINCE_UNKNOWN, mend: null }), database_name });
      continue;
    }
    append(
      found,
      table.candidates.flatMap((one) => foundOf(facts, table, one)),
    );
    append(unknown, unjudged(table));
  }
  return { found, unknown: [...unknown, ...unreadTexts(facts)] };
}

function figureAfter(facts: Facts, { database_name, object_key }: Gone): number | null {
  const [relid, ...rest] = object_key.split('/');
  const first = rest.join('/').split(',')[0];
  const table = tablesOf(facts).find(
    ({ item }) => item.database_name === database_name && item.text('relid') === relid,
  );
  return table && first !== undefined ? blocksPerCall(table.statements, first) : null;
}

export const check = defineCheck({
  name: 'missing_index',
  category: 'indexes',
  title: 'Missing index',
  figureName: 'blocks per call',
  meaning: 'Expensive statements read a whole table to find a few rows.',
  advice: 'Create the index, and check that the statements get faster.',
  caution:
    'Every write maintains one more index, and it takes space. Building it reads the whole table and waits for open transactions. A failed build leaves an invalid index. Very common values gain less.',
  source: 'indexes.html',
  proof: 'measured',
  where: 'primary',
  reads: {
    pg_index_advice: [
      'relid',
      'schemaname',
      'relname',
      'table_bytes',
      'page_count',
      'row_count',
      'n_tup_ins',
      'n_tup_upd',
      'n_tup_hot_upd',
      'advice',
    ],
    pg_costly_statements: ['queryid', 'total_exec_time'],
    pg_stat_statements: ['queryid', 'stats_reset'],
  },
  judge,
  figureAfter,
});
