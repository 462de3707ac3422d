// The columns of the list of statements. What is not known is a dash with its reason, never a zero.

import { Link } from 'react-router';
import { changeText } from '../../../lib/change.ts';
import { formatCount, formatMilliseconds, formatShare } from '../../../lib/format.ts';
import { cutText } from '../../../lib/inert-text.ts';
import { Sparkline } from '../../../ui/charts/sparkline.tsx';
import { formatValue } from '../../../ui/charts/values.ts';
import type { Column } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Meter } from '../../../ui/meter.tsx';
import { Name } from '../../../ui/name.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './queries.module.css';
import { type Statement, shortText } from './queries-list.ts';
import { statementTags, statementTitle } from './statement-title.ts';

const MOST_TABLES = 3;

const tablesText = (tables: readonly string[]): string =>
  tables.length > MOST_TABLES
    ? `${tables.slice(0, MOST_TABLES).join(', ')} and ${tables.length - MOST_TABLES} more`
    : tables.join(', ');

export type PathOf = (statement: Statement) => string;

function Tags({ query }: { query: string }) {
  return statementTags(query).map(({ name, value }) => (
    <span key={`${name} ${value}`} className={classes.tag} title={`${name}: from a comment of the statement`}>
      <Name>{cutText(`${name}=${value}`, 60)}</Name>
    </span>
  ));
}

function Text({ row, path }: { row: Statement; path: string }) {
  const { query, queryid, database_name, is_own } = row;
  const title = statementTitle(query);
  return (
    <div className={layout.cell}>
      <Link className={classes.text} to={path} data-row-link title={cutText(query, 2000)}>
        {query === '' ? <span className="unknown">text not read yet</span> : null}
        {title ? (
          <>
            <bdi className={classes.title}>
              {title.verb} {tablesText(title.tables)}
            </bdi>{' '}
          </>
        ) : null}
        {query === '' ? null : <code>{shortText(query)}</code>}
      </Link>
      <div className={classes.place}>
        <bdi>{database_name}</bdi> · <span className={classes.queryid}>{queryid}</span>
        {is_own === true ? (
          <span className={classes.own} title="Sent by Matriarch to collect from this server">
            Matriarch
          </span>
        ) : null}
        <Tags query={query} />
      </div>
    </div>
  );
}

type Compared = 'total_exec_time' | 'mean_exec_time';

/** Against the other window, beside the figure of this one. */
function Change({ row, of }: { row: Statement; of: Compared }) {
  const { compared, calls } = row;
  if (compared === undefined) return null;
  if (compared === null) return <Unknown because="Its database was not measured in the other window" />;
  if (compared.calls === 0) return <span title="It did not run in the other window">new</span>;
  if (calls === 0) return <Unknown because="It did not run in this time" />;
  const before = formatMilliseconds(compared[of]);
  return <span title={`${before} before`}>{changeText(row[of], compared[of])}</span>;
}

function Load({ row }: { row: Statement }) {
  const { load_percent, total_exec_time } = row;
  if (load_percent === undefined) return <Unknown />;
  return (
    <div className={classes.load} title={`${formatValue(total_exec_time, 'ms')} in all`}>
      <span className={classes.changed}>
        {formatShare(load_percent)}{' '}
        <span className={classes.change}>
          <Change row={row} of="total_exec_time" />
        </span>
      </span>
      <Meter percent={load_percent} />
    </div>
  );
}

function Mean({ row }: { row: Statement }) {
  const { calls, mean_exec_time, compared } = row;
  if (calls === 0) return <Unknown because="It did not run" />;
  return (
    <span className={classes.stacked}>
      {formatMilliseconds(mean_exec_time)}{' '}
      {compared ? (
        <span className={classes.change}>
          <Change row={row} of="mean_exec_time" />
        </span>
      ) : null}
    </span>
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
  hint: 'Share of the time of all statements, and its change',
  width: 'small',
  render: (row) => <Load row={row} />,
});

const COURSE_COLUMN: Column<Statement> = {
  key: 'course',
  title: 'Time spent',
  hint: 'Execution time over this window, from its least to its largest',
  needs: 'medium',
  render: ({ exec_time_course }) => (exec_time_course ? <Sparkline values={exec_time_course} /> : null),
};

const MEAN_COLUMN = figure('mean_exec_time', {
  title: 'Mean',
  hint: 'Mean time of a call, and its change',
  align: 'end',
  render: (row) => <Mean row={row} />,
});

const LAST: readonly Column<Statement>[] = [
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
    title: 'Blocks hit',
    hint: 'In shared buffers',
    align: 'end',
    needs: 'wide',
    render: (row) => <Blocks count={row.shared_blks_hit} of={row} />,
  }),
];

export interface ColumnsOptions {
  /** For how long statements were counted in the window. */
  seconds: number | null;
  pathOf: PathOf;
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
export const shortColumnsOf = ({ seconds, pathOf }: ColumnsOptions): readonly Column<Statement>[] => [
  textColumn(pathOf),
  LOAD_COLUMN,
  COURSE_COLUMN,
  callsColumn(seconds),
  MEAN_COLUMN,
];

export const columnsOf = (options: ColumnsOptions): readonly Column<Statement>[] => [
  ...shortColumnsOf(options),
  ...LAST,
];
