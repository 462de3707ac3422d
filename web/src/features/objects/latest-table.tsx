// The newest rows of a probe as a table: which database, which names and in which order stands in the address and is
// judged by the server, which answers a hundred rows at once.
import { NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useOperation } from '../../api/use-operation.ts';
import { countOf } from '../../lib/format.ts';
import { parseSort, type Sort, sortText } from '../../lib/sort.ts';
import { useUrlTexts } from '../../lib/url-state.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { SearchIcon } from '../../ui/icons.ts';
import { Pager } from '../../ui/pager.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { ReadAt } from '../../ui/read-at.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { LatestExport, type LatestQuery, PART } from './latest-export.tsx';
import classes from './objects.module.css';
import { type Row, readAt } from './rows.ts';

const READ_MS = 60_000;
const TYPED_MS = 250;
const MOST_PAGES = 10_000;
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
}

interface Wanted {
  sort: Sort;
  text: string;
  database: string;
  withSystem: boolean;
}

interface FiltersProps {
  props: LatestTableProps;
  wanted: Wanted;
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
      value={wanted.database}
      onChange={(event) => set({ database: event.target.value })}
    />
  );
}

function Filters({ props, wanted, set }: FiltersProps) {
  const { words, hasDatabases, hasSystem } = props;
  return (
    <search className={classes.filters} aria-label={`Filters of ${words[1]}`}>
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

export function LatestTable(props: LatestTableProps) {
  const { id, probe, title, words, columns, first, rowKey } = props;
  const [text, set] = useUrlTexts(['sort', 'q', 'database', 'system', 'page']);
  const keys = columns.filter(({ value }) => value).map(({ key }) => key);
  const wanted: Wanted = {
    sort: parseSort(text('sort'), keys, first),
    text: text('q').slice(0, 200),
    database: props.hasDatabases ? text('database') : '',
    withSystem: text('system') === 'with',
  };
  const [settled] = useDebouncedValue(wanted.text.trim(), TYPED_MS);
  const page = Math.max(1, Math.min(MOST_PAGES, Math.floor(Number(text('page'))) || 1));
  const asked: LatestQuery = {
    connection_id: id,
    probe_name: probe,
    order_by: wanted.sort.key,
    order: wanted.sort.descending ? 'desc' : 'asc',
    ...(wanted.database !== '' && { database_name: wanted.database }),
    ...(settled !== '' && { search: settled }),
    ...(props.hasSystem && !wanted.withSystem && { exclude_schemas: SYSTEM }),
  };
  const part = { limit: PART, ...(page > 1 && { offset: (page - 1) * PART }) };
  const query = useOperation(
    'getLatestMetrics',
    { query: { ...asked, ...part } },
    { keepPrevious: true, everyMs: READ_MS },
  );
  const { rows, total_count = 0 } = query.data ?? {};
  const isNarrowed = settled !== '' || wanted.database !== '';
  return (
    <Panel
      title={title}
      note={rows ? <ReadAt at={readAt(rows)} before={countOf(total_count, ...words)} /> : undefined}
      {...(total_count > 0
        ? { actions: <LatestExport query={asked} title={title} many={words[1]} rowKey={rowKey} /> }
        : {})}
      flush
    >
      <Filters props={props} wanted={wanted} set={(changed) => set({ ...changed, page: '' })} />
      <Query query={query} what={`the ${words[1]}`} lines={8} padded>
        {(data) =>
          data.rows.length === 0 ? (
            <EmptyState
              icon={<SearchIcon size={26} />}
              title={
                data.total_count > 0
                  ? 'The list ends before this page'
                  : isNarrowed
                    ? `No ${words[0]} matches`
                    : `No ${words[0]} is known`
              }
            >
              {isNarrowed
                ? `Try a shorter text${props.hasDatabases ? ', or every database' : ''}.`
                : props.because}
            </EmptyState>
          ) : (
            <DataTable
              caption={title}
              columns={columns}
              rows={data.rows}
              rowKey={rowKey}
              sort={wanted.sort}
              onSort={(sort) =>
                set({ sort: sortText(sort) === sortText(first) ? '' : sortText(sort), page: '' })
              }
            />
          )
        }
      </Query>
      {total_count > PART ? (
        <Pager
          page={page}
          size={PART}
          total={total_count}
          one={words[0]}
          many={words[1]}
          onPage={(to) => set({ page: to === 1 ? '' : String(to) })}
        />
      ) : null}
    </Panel>
  );
}
