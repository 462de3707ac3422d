// The columns of the list of statements. What is not known is a dash with its reason, never a zero.

import { Link } from 'react-router';
import { changeText } from '../../lib/change.ts';
import { formatCount, formatMilliseconds, formatShare } from '../../lib/format.ts';
import { cutText } from '../../lib/inert-text.ts';
import { COMPARISON_WORDS, type Comparison } from '../../lib/time-window.ts';
import { formatValue } from '../../ui/charts/values.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Unknown } from '../../ui/unknown.tsx';
import classes from './queries.module.css';
import { type Statement, shortText } from './queries-list.ts';

export type PathOf = (statement: Statement) => string;

function Text({ row, path }: { row: Statement; path: string }) {
  const { query, queryid, database_name, is_own } = row;
  return (
    <div className={classes.statement}>
      <Link className={classes.text} to={path} data-row-link title={cutText(query, 2000)}>
        {query === '' ? (
          <Unknown because="The text of this statement was not read yet" />
        ) : (
          <code>{shortText(query)}</code>
        )}
      </Link>
      <div className={classes.place}>
        <bdi>{database_name}</bdi> · <span className={classes.queryid}>{queryid}</span>
        {is_own === true ? (
          <span className={classes.own} title="Sent by Matriarch to collect from this server">
            Matriarch
          </span>
        ) : null}
      </div>
    </div>
  );
}

function Load({ row: { load_percent, total_exec_time } }: { row: Statement }) {
  if (load_percent === undefined) return <Unknown />;
  return (
    <div className={classes.load} title={`${formatValue(total_exec_time, 'ms')} in all`}>
      <span>{formatShare(load_percent)}</span>
      <Meter percent={load_percent} />
    </div>
  );
}

function Rate({ count, seconds }: { count: number; seconds: number | null }) {
  const all = `${formatCount(count)} in this time`;
  if (seconds === null) return <Unknown because={`${all}; for how long it was counted is not known`} />;
  return <span title={all}>{formatValue(Number((count / seconds).toPrecision(3)), 'count/s')}</span>;
}

function Blocks({ count, of }: { count: number; of: Statement }) {
  const touched = of.shared_blks_hit + of.shared_blks_read;
  const hit =
    touched > 0 ? `${formatShare((100 * of.shared_blks_hit) / touched)} found in shared buffers` : undefined;
  return <span title={hit}>{formatValue(count, 'count')}</span>;
}

/** Sorted by the server; the largest first. */
const figure = (key: (typeof FIGURES)[number], column: Omit<Column<Statement>, 'key' | 'value'>) => ({
  key,
  value: (row: Statement) => row[key],
  descendingFirst: true,
  ...column,
});

const FIGURES = [
  'total_exec_time',
  'calls',
  'mean_exec_time',
  'rows',
  'shared_blks_read',
  'shared_blks_hit',
] as const;

const LOAD_COLUMN = figure('total_exec_time', {
  title: 'Load',
  hint: 'Share of the time of all statements',
  width: 'small',
  render: (row) => <Load row={row} />,
});

const LAST: readonly Column<Statement>[] = [
  figure('mean_exec_time', {
    title: 'Mean',
    hint: 'Time of an execution',
    align: 'end',
    render: (row) =>
      row.calls > 0 ? formatMilliseconds(row.mean_exec_time) : <Unknown because="It did not run" />,
  }),
  figure('rows', {
    title: 'Rows',
    hint: 'Rows returned or touched',
    align: 'end',
    needs: 'medium',
    render: (row) => formatValue(row.rows, 'count'),
  }),
  figure('shared_blks_read', {
    title: 'Blocks read',
    hint: 'From disk or the system cache',
    align: 'end',
    needs: 'wide',
    render: (row) => <Blocks count={row.shared_blks_read} of={row} />,
  }),
  figure('shared_blks_hit', {
    title: 'Blocks found',
    hint: 'In shared buffers',
    align: 'end',
    needs: 'wide',
    render: (row) => <Blocks count={row.shared_blks_hit} of={row} />,
  }),
];

function Change({ row, of }: { row: Statement; of: 'total_exec_time' | 'mean_exec_time' }) {
  const { compared, calls } = row;
  if (compared === undefined) return null;
  if (compared === null) return <Unknown because="Its database was not measured in the other window" />;
  if (compared.calls === 0) return <span title="It did not run in the other window">new</span>;
  if (calls === 0) return <Unknown because="It did not run in this time" />;
  const before = formatMilliseconds(compared[of]);
  return <span title={`${before} before`}>{changeText(row[of], compared[of])}</span>;
}

const changeColumns = (compare: Comparison): readonly [Column<Statement>, Column<Statement>] => [
  {
    key: 'change',
    title: 'Load changed',
    hint: `Its time in all, against ${COMPARISON_WORDS[compare]}`,
    align: 'end',
    needs: 'medium',
    render: (row) => <Change row={row} of="total_exec_time" />,
  },
  {
    key: 'mean-change',
    title: 'Mean changed',
    hint: `Time of an execution, against ${COMPARISON_WORDS[compare]}`,
    align: 'end',
    render: (row) => <Change row={row} of="mean_exec_time" />,
  },
];

export interface ColumnsOptions {
  /** For how long statements were counted in the window. */
  seconds: number | null;
  pathOf: PathOf;
  compare: Comparison | undefined;
}

const textColumn = (pathOf: PathOf): Column<Statement> => ({
  key: 'query',
  title: 'Statement',
  width: 'grow',
  render: (row) => <Text row={row} path={pathOf(row)} />,
});

const callsColumn = (seconds: number | null): Column<Statement> =>
  figure('calls', {
    title: 'Calls',
    hint: 'Executions a second, over the time that was measured',
    align: 'end',
    needs: 'medium',
    render: (row) => <Rate count={row.calls} seconds={seconds} />,
  });

/** Those of a short list beside others: what it costs, how often, how long, and how that changed. */
export function shortColumnsOf({ seconds, pathOf, compare }: ColumnsOptions): readonly Column<Statement>[] {
  const change = compare
    ? changeColumns(compare)
        .slice(1)
        .map((column) => ({ ...column, needs: 'medium' as const }))
    : [];
  return [textColumn(pathOf), LOAD_COLUMN, callsColumn(seconds), ...LAST.slice(0, 1), ...change];
}

export function columnsOf({ seconds, pathOf, compare }: ColumnsOptions): readonly Column<Statement>[] {
  const text = textColumn(pathOf);
  const calls = callsColumn(seconds);
  if (!compare) return [text, LOAD_COLUMN, calls, ...LAST];
  const [load, mean] = changeColumns(compare);
  const [first, ...others] = LAST;
  return [text, LOAD_COLUMN, load, calls, ...(first ? [first] : []), mean, ...others];
}
