// A table with its surface: a search whose text stands in the address, how much was found, and a reason where nothing is
// shown.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import { countOf } from '../lib/format.ts';
import { parseSort, type SortValue, sortText } from '../lib/sort.ts';
import { useUrlText } from '../lib/url-state.ts';
import { type Column, DataTable } from './data-table.tsx';
import { SearchIcon } from './icons.ts';
import layout from './layout.module.css';
import { Query } from './query.tsx';
import { SearchField } from './search-field.tsx';
import classes from './searched-table.module.css';
import { EmptyState } from './states.tsx';

export interface SearchedTableProps<Row> {
  /** What the rows are: "user", "users". */
  one: string;
  many: string;
  query: Pick<UseQueryResult<unknown, ApiError>, 'error' | 'refetch'>;
  rows: readonly Row[] | undefined;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  rowPath?: (row: Row) => string;
  /** The text that is searched. */
  words: (row: Row) => string;
  /** The column that is sorted by at first. */
  first: string;
  tie: (row: Row) => SortValue;
  empty: ReactNode;
  /** Of which rows these are all. */
  caption?: string;
  /** What is searched, as a sentence for when nothing was found. */
  searched?: string;
}

function Rows<Row>(props: SearchedTableProps<Row> & { rows: readonly Row[] }) {
  const [sort, setSort] = useUrlText('sort');
  const [search, setSearch] = useUrlText('q');
  const wanted = search.trim().toLowerCase();
  const found = props.rows.filter((row) => props.words(row).toLowerCase().includes(wanted));
  const keys = props.columns.map(({ key }) => key);
  if (props.rows.length === 0) return props.empty;
  return (
    <>
      <div className={classes.tools}>
        <SearchField label={`Search ${props.many}`} value={search} onChange={setSearch} />
        <span className={layout.remark} role="status">
          {wanted ? `${found.length} of ${countOf(props.rows.length, props.one, props.many)}` : null}
        </span>
      </div>
      {found.length === 0 ? (
        <EmptyState icon={<SearchIcon size={26} />} title={`No ${props.one} matches`}>
          {props.searched ?? 'Try a shorter text.'}
        </EmptyState>
      ) : (
        <DataTable
          caption={props.caption ?? `All ${props.many}`}
          columns={props.columns}
          rows={found}
          rowKey={props.rowKey}
          {...(props.rowPath ? { rowPath: props.rowPath } : {})}
          sort={parseSort(sort, keys, { key: props.first, descending: false })}
          onSort={(next) => setSort(sortText(next) === props.first ? '' : sortText(next))}
          ties={[props.tie]}
        />
      )}
    </>
  );
}

export function SearchedTable<Row>(props: SearchedTableProps<Row>) {
  const { rows, query, many } = props;
  return (
    <section className={classes.table} aria-label={`All ${many}`}>
      <Query query={{ ...query, data: rows }} what={`the ${many}`} lines={8} padded>
        {(data) => <Rows {...props} rows={data} />}
      </Query>
    </section>
  );
}
