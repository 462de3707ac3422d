// The newest rows of a probe as a table: which database, which names and in which order stands in the address and is
// judged by the server. All rows that match are one list, of which those near the window are fetched. Guards: all parts are of
// one reading, so that no row comes twice or never; the list stands still while somebody reads it.
import { NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { call, type Input } from '../../../api/client.ts';
import type { ReadPart } from '../../../api/parts.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { useParts } from '../../../api/use-parts.ts';
import { parseSort, type Sort, sortText } from '../../../lib/sort.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { fileName } from '../../../ui/download.ts';
import { typed } from '../../../ui/field.ts';
import { SearchIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { ListExport } from '../../../ui/long-list/list-export.tsx';
import { ListState } from '../../../ui/long-list/list-state.tsx';
import { useBackToTop } from '../../../ui/long-list/use-back-to-top.ts';
import { useHeldWindow } from '../../../ui/long-list/use-held-window.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { ReadAt } from '../../../ui/read-at.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { contentOf, eachOnce } from './latest-export.ts';
import classes from './objects.module.css';
import { type Row, readAt } from './rows.ts';

const TYPED_MS = 250;
/** As many rows as the server answers at once. */
const PART = 100;
const PARTS_HELD = 12;
/** Up to now, whenever that is. */
const NOW = { from: Number.MAX_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
const SYSTEM = 'pg_catalog,information_schema,pg_toast';

export interface LatestTableProps {
  id: number;
  probe: string;
  title: string;
  /** What a row is: "table", "index", and several of them. */
  words: readonly [string, string];
  columns: readonly Column<Row>[];
  /** Key of a column that is one of the probe's too. */
  first: Sort;
  rowKey: (row: Row) => string;
  /** Whether each database is read by itself. */
  hasDatabases?: boolean;
  /** Whether it has those of the system too. */
  hasSystem?: boolean;
  /** Why there may be none. */
  because: string;
  /** Chooses between this list and others in its place. */
  lists?: ReactNode;
}

interface LatestRequest {
  sort: Sort;
  text: string;
  database: string;
  withSystem: boolean;
}

interface FiltersProps {
  props: LatestTableProps;
  wanted: LatestRequest;
  set: (changed: Partial<Record<'q' | 'database' | 'system', string>>) => void;
}

function Databases({ props: { id }, wanted, set }: FiltersProps) {
  const info = useOperation('getServerInfo', { params: { connection_id: id } }, { staleMs: 60_000 }).data;
  const names = new Set(info?.databases.map(({ name }) => name));
  if (wanted.database !== '') names.add(wanted.database);
  return (
    <NativeSelect
      aria-label="Database"
      data={[{ value: '', label: 'Every database' }, ...[...names].sort()]}
      {...typed(wanted.database, (database) => set({ database }))}
    />
  );
}

function Filters({ props, wanted, set }: FiltersProps) {
  const { words, hasDatabases, hasSystem, lists } = props;
  return (
    <search className={layout.tableFilters} aria-label={`Filters of ${words[1]}`}>
      {lists}
      <SearchField label={`Search ${words[1]}`} value={wanted.text} onChange={(q) => set({ q })} />
      {hasDatabases ? <Databases props={props} wanted={wanted} set={set} /> : null}
      {hasSystem ? (
        <label className={classes.check}>
          <input
            type="checkbox"
            checked={wanted.withSystem}
            onChange={(event) => set({ system: event.target.checked ? 'with' : '' })}
          />
          With those of the system
        </label>
      ) : null}
    </search>
  );
}

function useWanted({ columns, first, hasDatabases }: LatestTableProps) {
  const [text, set] = useUrlTexts(['sort', 'q', 'database', 'system']);
  const keys = columns.filter(({ value }) => value).map(({ key }) => key);
  const wanted: LatestRequest = {
    sort: parseSort(text('sort'), keys, first),
    text: text('q').slice(0, 200),
    database: hasDatabases ? text('database') : '',
    withSystem: text('system') === 'with',
  };
  const [settled] = useDebouncedValue(wanted.text.trim(), TYPED_MS);
  return { wanted, settled, set };
}

type LatestQuery = Input<'getLatestMetrics'>['query'];

function askedFor(
  { id, probe, hasSystem }: LatestTableProps,
  wanted: LatestRequest,
  settled: string,
): LatestQuery {
  const { sort, database, withSystem } = wanted;
  return {
    connection_id: id,
    probe_name: probe,
    order_by: sort.key,
    order: sort.descending ? 'desc' : 'asc',
    ...(database !== '' && { database_name: database }),
    ...(settled !== '' && { search: settled }),
    ...(hasSystem && !withSystem && { exclude_schemas: SYSTEM }),
  };
}

/** Reads a part of all rows that match; `at` is when the first of them were collected. */
function useReadRows(asked: LatestQuery, reading: number) {
  const query = JSON.stringify({ ...asked, reading: String(reading), limit: PART });
  const [at, setAt] = useState<string | null>(null);
  const read = useCallback<ReadPart<Row>>(
    async (offset, signal) => {
      const part = await call('getLatestMetrics', { query: { ...JSON.parse(query), offset } }, signal);
      if (offset === 0) setAt(readAt(part.rows));
      return { rows: part.rows, total: part.total_count };
    },
    [query],
  );
  return { read, at };
}

interface NothingProps {
  props: LatestTableProps;
  isNarrowed: boolean;
}

function Nothing({ props: { words, hasDatabases, because }, isNarrowed }: NothingProps) {
  return (
    <EmptyState
      icon={<SearchIcon size={26} />}
      title={isNarrowed ? `No ${words[0]} matches` : `No ${words[0]} is known`}
    >
      {isNarrowed ? `Try a shorter text${hasDatabases ? ', or every database' : ''}.` : because}
    </EmptyState>
  );
}

export function LatestTable(props: LatestTableProps) {
  const { title, words, columns, first, rowKey } = props;
  const { wanted, settled, set } = useWanted(props);
  const rows = useRef<HTMLDivElement>(null);
  const held = useHeldWindow(NOW, { isLive: true }, rows);
  const asked = askedFor(props, wanted, settled);
  const { read, at } = useReadRows(asked, held.window.to);
  const found = useParts(read, { size: PART, most: PARTS_HELD });
  useBackToTop(rows, JSON.stringify(asked));
  return (
    <Panel
      title={title}
      actions={
        <ListExport
          read={read}
          size={PART}
          words={words}
          fileOf={(all, ending) => ({
            content: contentOf(eachOnce(all.rows, rowKey), ending),
            name: fileName(title, { from: Date.parse(at ?? '') || 0 }, ending),
          })}
        />
      }
      flush
    >
      <Filters props={props} wanted={wanted} set={set} />
      <Query
        query={{ data: found.list, error: found.error, refetch: found.retry }}
        what={`the ${words[1]}`}
        lines={8}
        padded
      >
        {(list) => (
          <>
            <ListState
              count={list.count}
              words={words}
              held={held}
              failed={found.error}
              onRetry={found.retry}
            >
              <span>
                <ReadAt at={at} />
              </span>
            </ListState>
            {list.count === 0 ? (
              <Nothing props={props} isNarrowed={settled !== '' || wanted.database !== ''} />
            ) : (
              <div ref={rows}>
                <DataTable
                  caption={title}
                  columns={columns}
                  rows={list}
                  isBusy={found.isOld}
                  rowKey={rowKey}
                  sort={wanted.sort}
                  onSort={(sort) => set({ sort: sortText(sort) === sortText(first) ? '' : sortText(sort) })}
                />
              </div>
            )}
          </>
        )}
      </Query>
    </Panel>
  );
}
