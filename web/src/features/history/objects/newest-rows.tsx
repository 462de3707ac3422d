// The newest rows of a probe as a small table without tools: what there is of them, of when it is, and in words where
// there is nothing.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatCount } from '../../../lib/format.ts';
import type { Sort } from '../../../lib/sort.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { ReadAt } from '../../../ui/read-at.tsx';
import { reasonOf } from '../activity/answers.ts';
import { useCoverage } from '../coverage/use-coverage.ts';
import classes from './objects.module.css';
import { type Row, readAt } from './rows.ts';

const MOST = 100;
const READ_MS = 60_000;

export interface NewestRowsProps {
  id: number;
  probe: string;
  title: string;
  /** What a row is, and several of them. */
  words: readonly [string, string];
  /** By a column of the probe. */
  order: Sort;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** Of the probe's rows only these. */
  keep?: (row: Row) => boolean;
  limit?: number;
  /** So many stand there at first; all of them when asked for. */
  first?: number;
  /** A sentence for when there is none; absent: then there is no panel. */
  empty?: string;
}

/** That there is none is said only of what was read. */
function Nothing({ id, probe, empty }: Required<Pick<NewestRowsProps, 'id' | 'probe' | 'empty'>>) {
  const entries = useCoverage(id).data?.probes.filter((one) => one.probe === probe);
  const isRead = entries?.some(({ status }) => status === 'ok' || status === 'incomplete');
  return (
    <p className={classes.quiet}>
      {isRead ? empty : ((entries && reasonOf(entries, probe)) ?? 'Nothing was read yet.')}
    </p>
  );
}

type RowsProps = Pick<NewestRowsProps, 'title' | 'columns' | 'rowKey' | 'first'> & { rows: readonly Row[] };

function Rows({ title, columns, rowKey, rows, first = rows.length }: RowsProps) {
  const [all, setAll] = useState(false);
  // One more takes no more room than the button.
  const shown = all || rows.length <= first + 1 ? rows : rows.slice(0, first);
  return (
    <>
      <DataTable caption={title} columns={columns} rows={shown} rowKey={rowKey} />
      {shown.length < rows.length ? (
        <Button variant="subtle" size="xs" className={classes.all ?? ''} onClick={() => setAll(true)}>
          Show all {formatCount(rows.length)}
        </Button>
      ) : null}
    </>
  );
}

export function NewestRows(props: NewestRowsProps) {
  const { id, probe, title, words, order, columns, rowKey, keep, limit = MOST } = props;
  const query = useOperation(
    'getLatestMetrics',
    {
      query: {
        connection_id: id,
        probe_name: probe,
        order_by: order.key,
        order: order.descending ? 'desc' : 'asc',
        limit,
      },
    },
    { everyMs: READ_MS },
  );
  const found = query.data;
  const rows = keep ? found?.rows.filter(keep) : found?.rows;
  const isAll = found === undefined || keep !== undefined || found.total_count <= found.rows.length;
  const count = countOf(rows?.length ?? 0, ...words);
  const before = isAll ? count : `the first ${count} of ${formatCount(found.total_count)}`;
  const { empty } = props;
  if (empty === undefined && !rows?.length) return null;
  return (
    <Panel
      title={title}
      note={rows && rows.length > 0 ? <ReadAt at={readAt(rows)} before={before} /> : undefined}
      flush
    >
      <Query query={{ ...query, data: rows }} what={`the ${words[1]}`} lines={3} padded>
        {(shown) =>
          shown.length === 0 ? (
            <Nothing id={id} probe={probe} empty={empty ?? ''} />
          ) : (
            <Rows
              title={title}
              columns={columns}
              rowKey={rowKey}
              rows={shown}
              first={props.first ?? shown.length}
            />
          )
        }
      </Query>
    </Panel>
  );
}
