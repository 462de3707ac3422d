// The indexes of a server: those that cost more than they give first, then all of them with size, growth and use.
import { useMemo } from 'react';
import type { Column } from '../../../ui/data-table.tsx';
import { ServerHistory } from '../activity/server-history.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import { countColumn, hitColumn, nameColumn, ObjectName, Size, When } from './cells.tsx';
import { growthColumn } from './growth.tsx';
import { HEALTH_PROBE, IndexFindings } from './index-findings.tsx';
import { LatestTable } from './latest-table.tsx';
import { NotWatched } from './not-watched.tsx';
import classes from './objects.module.css';
import { flagOf, isoOf, numberOf, type Row, textOf } from './rows.ts';

const PROBE = 'pg_stat_all_indexes';

function Marks({ row }: { row: Row }) {
  const marks = [
    flagOf(row, 'is_primary') ? 'primary key' : flagOf(row, 'is_unique') ? 'unique' : null,
    flagOf(row, 'is_valid') === false ? 'invalid' : null,
  ].filter((mark) => mark !== null);
  return marks.map((mark) => (
    <span key={mark} className={classes.mark} data-bad={mark === 'invalid' || undefined}>
      {mark}
    </span>
  ));
}

function columnsOf(id: number): Column<Row>[] {
  return [
    nameColumn('indexrelname', {
      title: 'Index',
      render: (row) => (
        <div className={classes.object}>
          <ObjectName
            name={textOf(row, 'indexrelname')}
            place={[`${textOf(row, 'schemaname')}.${textOf(row, 'relname')}`, textOf(row, 'database_name')]}
          />
          <Marks row={row} />
        </div>
      ),
    }),
    countColumn('index_size', {
      title: 'Size',
      hint: 'As of the last vacuum, analyze or build; PostgreSQL does not say when that was',
      render: (row) => <Size bytes={numberOf(row, 'index_size')} because="Not known" />,
    }),
    growthColumn(id, { probe: PROBE, metric: 'index_size', name: 'indexrelname' }),
    countColumn('idx_scan', { title: 'Scans', hint: 'Since the statistics were reset' }),
    countColumn('idx_tup_read', {
      title: 'Entries read',
      hint: 'By scans, since the statistics were reset',
      needs: 'wide',
    }),
    hitColumn('idx_blks', 'Blocks found in shared buffers since the statistics were reset'),
    {
      key: 'scanned',
      title: 'Last scan',
      align: 'end',
      needs: 'medium',
      render: (row) => (
        <When
          at={isoOf(row, 'last_idx_scan')}
          because={
            numberOf(row, 'idx_scan') === 0
              ? 'Not since the statistics were reset'
              : 'Known from PostgreSQL 16 on'
          }
        />
      ),
    },
  ];
}

export function IndexesView({ id }: { id: number }) {
  const columns = useMemo(() => columnsOf(id), [id]);
  return (
    <ServerHistory id={id} canCompare>
      {() => (
        <div className={classes.view}>
          <IndexFindings id={id} />
          <NotWatched id={id} probe={PROBE} />
          <LatestTable
            id={id}
            probe={PROBE}
            title="Indexes"
            words={['index', 'indexes']}
            columns={columns}
            first={{ key: 'index_size', descending: true }}
            rowKey={(row) => `${row.database_name} ${row.indexrelid}`}
            hasDatabases
            hasSystem
            because="Indexes are read every few minutes; Coverage says when, and what prevents it."
          />
          <MissingReadings id={id} probes={[PROBE, HEALTH_PROBE]} />
        </div>
      )}
    </ServerHistory>
  );
}
