// Tables and B-tree indexes by the bytes that a rewrite would free. Guards: it is called an estimate everywhere, with what it is
// made of and its age; what the role may not estimate is unknown with its reason.
import type { ReactNode } from 'react';
import { formatBytes, formatCount, formatShare, percentOf } from '../../../lib/format.ts';
import { momentText, zoneName } from '../../../lib/zone.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { countColumn, nameColumn, ObjectName, Size } from './cells.tsx';
import { LatestTable } from './latest-table.tsx';
import classes from './objects.module.css';
import { isoOf, numberOf, type Row, textOf } from './rows.ts';
import { BLOAT_PROBE } from './use-bloat.ts';

const HIDDEN = 'Column widths are hidden. The monitoring role lacks permission to read this table.';

/** "~32 MB 66 %": what would come back, and its share of the size. */
export function Reclaimable({ row }: { row: Row }) {
  const [bytes, actual] = [numberOf(row, 'reclaimable_bytes'), numberOf(row, 'actual_bytes')];
  if (bytes === null) return <Unknown because={HIDDEN} />;
  const share = percentOf(bytes, actual ?? 0);
  const at = isoOf(row, 'collected_at');
  const read = at === null ? '' : `, estimated ${momentText(Date.parse(at), zoneName('local'))}`;
  return (
    <span className={classes.dead} title={`About ${formatCount(bytes)} bytes${read}`}>
      {bytes === 0 ? '0' : `~${formatBytes(bytes)}`}
      {share === null || bytes === 0 ? null : <span className={classes.share}>{formatShare(share)}</span>}
    </span>
  );
}

function Name({ row }: { row: Row }) {
  const [schema, table, index] = ['schemaname', 'relname', 'indexrelname'].map((name) => textOf(row, name));
  const place = index === null ? schema : `index of ${schema}.${table}`;
  return <ObjectName name={index ?? table ?? null} place={[place ?? null, textOf(row, 'database_name')]} />;
}

const COLUMNS: readonly Column<Row>[] = [
  nameColumn('relname', { title: 'Table or index', render: (row) => <Name row={row} /> }),
  countColumn('reclaimable_bytes', {
    title: 'Bloat',
    hint: 'Estimated bytes that a rewrite would free, and their share of the size',
    render: (row) => <Reclaimable row={row} />,
  }),
  countColumn('actual_bytes', {
    title: 'Size',
    hint: 'Without TOAST, as of the last vacuum or analyze',
    render: (row) => <Size bytes={numberOf(row, 'actual_bytes')} because="Not known" />,
  }),
  countColumn('needed_bytes', {
    title: 'Needed',
    hint: 'Estimated size of its rows, packed',
    needs: 'medium',
    render: (row) => <Size bytes={numberOf(row, 'needed_bytes')} because={HIDDEN} />,
  }),
  countColumn('row_count', {
    title: 'Rows',
    hint: 'Rows or entries as of the last vacuum or analyze',
    needs: 'medium',
  }),
];

export function BloatTable({ id, lists }: { id: number; lists: ReactNode }) {
  return (
    <>
      <LatestTable
        id={id}
        probe={BLOAT_PROBE}
        title="Bloat"
        lists={lists}
        words={['table or index', 'tables and indexes']}
        columns={COLUMNS}
        first={{ key: 'reclaimable_bytes', descending: true }}
        rowKey={(row) => `${row.database_name} ${row.relid}`}
        hasDatabases
        because="Tables and B-tree indexes of 8 MB and more are estimated once an hour; Coverage says when, and what prevents it."
      />
      <p className={classes.remark}>
        Estimate from the row count of the last vacuum or analyze and the column widths in pg_stats. Nothing
        is read from the files. New rows reuse this space; VACUUM FULL, pg_repack, REPACK (since PostgreSQL
        19) or REINDEX returns it to the disk. A dash: the table was not analyzed yet, or the monitoring role
        may not select from it, so that pg_stats hides its column widths.
      </p>
    </>
  );
}
