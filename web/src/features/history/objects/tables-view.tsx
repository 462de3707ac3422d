// The tables of a server: how large they are and how they grow, what is dead in them, how they are read, when they were
// cleaned up last.
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { formatShare, percentOf } from '../../../lib/format.ts';
import { useUrlChoice, useUrlTexts } from '../../../lib/url-state.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { ServerHistory } from '../activity/server-history.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import { BloatTable, Reclaimable } from './bloat-table.tsx';
import { AsOf, countColumn, hitColumn, nameColumn, ObjectName, Size, When } from './cells.tsx';
import { growthColumn } from './growth.tsx';
import { LatestTable } from './latest-table.tsx';
import { NotWatched } from './not-watched.tsx';
import classes from './objects.module.css';
import { isoOf, latestOf, numberOf, type Row, textOf } from './rows.ts';
import { BLOAT_PROBE, type Bloat, useBloat } from './use-bloat.ts';
import { VacuumRuns, VacuumRunsLink } from './vacuum-runs.tsx';

const PROBE = 'pg_stat_all_tables';
/** No column of a table, and where one looks for a sequence that runs out. */
const SEQUENCES = 'pg_sequence_usage';
const NO_SIZE = 'Never vacuumed or analyzed, so the catalog has no size of it';

/** Dead tuples, and whether there are more than autovacuum waits for. */
function Dead({ row }: { row: Row }) {
  const [dead, live] = [numberOf(row, 'n_dead_tup'), numberOf(row, 'n_live_tup')];
  if (dead === null) return <Unknown />;
  const threshold = numberOf(row, 'vacuum_threshold');
  const share = percentOf(dead, dead + (live ?? 0));
  const isDue = threshold !== null && dead > threshold;
  const words = threshold === null ? undefined : `Autovacuum begins above ${formatValue(threshold, 'count')}`;
  return (
    <span className={classes.dead} title={words}>
      {isDue ? <Status iconOnly mark="warning" label="More than autovacuum waits for" size={14} /> : null}
      {formatValue(dead, 'count')}
      {share === null || dead === 0 ? null : <span className={classes.share}>{formatShare(share)}</span>}
    </span>
  );
}

function columnsOf(id: number, bloat: Bloat): Column<Row>[] {
  return [
    nameColumn('relname', {
      title: 'Table',
      render: (row) => (
        <ObjectName
          name={textOf(row, 'relname')}
          place={[textOf(row, 'schemaname'), textOf(row, 'database_name')]}
        />
      ),
    }),
    countColumn('table_size', {
      title: 'Size',
      hint: 'With TOAST, without indexes, as of the last vacuum or analyze',
      render: (row) => (
        <>
          <Size bytes={numberOf(row, 'table_size')} because={NO_SIZE} />
          {numberOf(row, 'table_size') === null ? null : <AsOf at={isoOf(row, 'size_as_of')} />}
        </>
      ),
    }),
    growthColumn(id, { probe: PROBE, metric: 'table_size', name: 'relname', asOf: 'size_as_of' }),
    countColumn('n_live_tup', { title: 'Rows', hint: 'Live rows, estimated', needs: 'medium' }),
    countColumn('n_dead_tup', {
      title: 'Dead tuples',
      hint: 'Estimated, and their share of all tuples',
      render: (row) => <Dead row={row} />,
    }),
    {
      key: 'bloat',
      title: 'Bloat',
      hint: 'Estimated bytes that a rewrite would free, and their share; the list Bloat is sorted by them',
      align: 'end',
      needs: 'medium',
      render: (row) => {
        const found = bloat.of(row);
        return found ? <Reclaimable row={found} /> : <Unknown because={bloat.because} />;
      },
    },
    countColumn('seq_scan', {
      title: 'Seq scans',
      hint: 'Sequential scans since the statistics were reset',
      needs: 'wide',
    }),
    countColumn('idx_scan', {
      title: 'Index scans',
      hint: 'Since the statistics were reset',
      needs: 'wide',
    }),
    hitColumn('heap_blks', 'Blocks of the table found in shared buffers since the statistics were reset'),
    {
      key: 'vacuumed',
      title: 'Vacuumed',
      hint: 'By hand or by autovacuum; leads to the runs in the log',
      align: 'end',
      needs: 'medium',
      render: (row) => (
        <VacuumRunsLink
          table={['database_name', 'schemaname', 'relname'].map((name) => textOf(row, name) ?? '').join('.')}
        >
          <When
            at={latestOf(row, ['last_vacuum', 'last_autovacuum'])}
            because="Not since the statistics were reset"
          />
        </VacuumRunsLink>
      ),
    },
  ];
}

const LISTS = ['tables', 'bloat', 'vacuum'] as const;

/** Which list is shown, as it stands in the address; order and search are those of one list. */
function Lists({ list }: { list: string }) {
  const [, set] = useUrlTexts(['list', 'sort', 'q', 'table']);
  return (
    <SegmentedControl
      aria-label="List"
      value={list}
      onChange={(value) => set({ list: value === 'tables' ? '' : value, sort: '', q: '', table: '' })}
      data={[
        { value: 'tables', label: 'All tables' },
        { value: 'bloat', label: 'By bloat' },
        { value: 'vacuum', label: 'Vacuum runs' },
      ]}
    />
  );
}

function AllTables({ id, lists }: { id: number; lists: ReactNode }) {
  const bloat = useBloat(id);
  const columns = useMemo(() => columnsOf(id, bloat), [id, bloat]);
  return (
    <LatestTable
      id={id}
      probe={PROBE}
      title="Tables"
      lists={lists}
      words={['table', 'tables']}
      columns={columns}
      first={{ key: 'table_size', descending: true }}
      rowKey={(row) => `${row.database_name} ${row.relid}`}
      hasDatabases
      hasSystem
      because="Tables are read every few minutes; Coverage says when, and what prevents it."
    />
  );
}

export function TablesView({ id }: { id: number }) {
  const [list] = useUrlChoice('list', LISTS, 'tables');
  const lists = <Lists list={list} />;
  return (
    <ServerHistory id={id} canCompare>
      {() => (
        <div className={classes.view}>
          {list === 'tables' ? <NotWatched id={id} probe={PROBE} /> : null}
          {list === 'tables' ? <AllTables id={id} lists={lists} /> : null}
          {list === 'bloat' ? <BloatTable id={id} lists={lists} /> : null}
          {list === 'vacuum' ? <VacuumRuns id={id} lists={lists} /> : null}
          <MissingReadings id={id} probes={[PROBE, BLOAT_PROBE, SEQUENCES]} />
        </div>
      )}
    </ServerHistory>
  );
}
