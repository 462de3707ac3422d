// Indexes that cost more than they give, and foreign keys without one: each with the reason, and since when it is so
// where that is known.
import type { Column } from '../../../ui/data-table.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { type Mark, Status } from '../../../ui/status.tsx';
import { ObjectName, Size } from './cells.tsx';
import { NewestRows } from './newest-rows.tsx';
import classes from './objects.module.css';
import { isoOf, numberOf, type Row, textOf } from './rows.ts';

export const HEALTH_PROBE = 'pg_index_health';

const LABELS: ReadonlyMap<string, string> = new Map([
  ['invalid', 'Invalid'],
  ['duplicate', 'Duplicate'],
  ['overlapping', 'Redundant'],
  ['unused', 'Unused'],
  ['missing_fk_index', 'No index'],
]);

/** That an index was not scanned says little where that was not counted for long. */
const MARKS: ReadonlyMap<string, Mark> = new Map([
  ['invalid', 'failed'],
  ['unused', 'unknown'],
]);

function Why({ row }: { row: Row }) {
  const finding = textOf(row, 'finding');
  const other = <code>{textOf(row, 'covered_by')}</code>;
  if (finding === 'invalid')
    return <>Queries cannot use it; it was not built to the end and is still kept up to date.</>;
  if (finding === 'duplicate') return <>Says nothing that {other} does not say as well.</>;
  if (finding === 'overlapping')
    return <>{other} begins with the same columns and serves the same queries.</>;
  if (finding === 'missing_fk_index')
    return <>Each change of what it refers to reads the whole table, and holds its locks meanwhile.</>;
  const reset = isoOf(row, 'stats_reset');
  return (
    <>
      Not scanned on this server since{' '}
      {reset === null ? (
        'its statistics began'
      ) : (
        <>
          its statistics were reset <RelativeTime at={reset} />
        </>
      )}
      . A standby may use it.
    </>
  );
}

function Finding({ row }: { row: Row }) {
  const finding = textOf(row, 'finding') ?? '';
  return (
    <div className={classes.finding}>
      <Status mark={MARKS.get(finding) ?? 'warning'} label={LABELS.get(finding) ?? finding} />
      <ObjectName
        name={textOf(row, 'indexrelname') ?? textOf(row, 'constraint_name')}
        place={[
          `${textOf(row, 'schemaname')}.${textOf(row, 'relname')} (${textOf(row, 'column_names') ?? ''})`,
          textOf(row, 'database_name'),
        ]}
      />
      <p className={classes.why}>
        <Why row={row} />
      </p>
    </div>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'finding', title: 'Index or foreign key', render: (row) => <Finding row={row} /> },
  {
    key: 'index_size',
    title: 'Size',
    align: 'end',
    render: (row) => <Size bytes={numberOf(row, 'index_size')} because="There is no index" />,
  },
];

export const IndexFindings = ({ id }: { id: number }) => (
  <NewestRows
    id={id}
    probe={HEALTH_PROBE}
    title="Unused, redundant and missing indexes"
    words={['finding', 'findings']}
    order={{ key: 'index_size', descending: true }}
    columns={COLUMNS}
    rowKey={(row) => `${row.database_name} ${row.object_oid} ${row.finding}`}
    first={10}
    empty="No index was found to be unused, duplicate or invalid, and no foreign key without one."
  />
);
