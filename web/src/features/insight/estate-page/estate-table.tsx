// The servers of the estate in one table: searched, in the order that the address says, in groups that fold on request.
import { Button, NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { EstateServer } from '../../../api/types.ts';
import { countOf, formatCount } from '../../../lib/format.ts';
import { parseSort, sortRows, sortText } from '../../../lib/sort.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { typed } from '../../../ui/field.ts';
import { SearchIcon } from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { useTopology } from '../../estate/clusters/use-topology.ts';
import { BY_NAME, matches } from '../../estate/estate/server-state.ts';
import { COLUMNS, ORDERS, SORT_KEYS, WORST_FIRST } from './estate-columns.tsx';
import { type GroupHead, groupedRows, isGrouped, scopeNames, type TableRow } from './estate-groups.ts';
import classes from './estate-page.module.css';
import type { EstateRow } from './estate-row.ts';
import { hasTag, TagChoice, useTag } from './tags.tsx';
import { useEstateRows } from './use-estate-figures.ts';

const ORDER_CHOICES = [
  { value: '', label: 'What hurts most' },
  ...ORDERS.map((order) => ({ value: sortText(order), label: order.title })),
];

const TIES = BY_NAME.map(
  (value) =>
    ({ server }: EstateRow) =>
      value(server),
);

function useOrder() {
  const [text, set] = useUrlText('sort');
  const sort = parseSort(text, SORT_KEYS, WORST_FIRST);
  const setSort = (next: string) => set(next === sortText(WORST_FIRST) ? '' : next);
  const chosen = sortText(sort) === sortText(WORST_FIRST) ? '' : sortText(sort);
  return { sort, setSort, chosen };
}

const orderOf = (key: string) => [...COLUMNS, ...ORDERS].find((one) => one.key === key)?.value;

/** Keys of the groups that are folded, in the address. */
function useFolded() {
  const [text, set] = useUrlText('folded');
  const folded = useMemo(() => new Set(text.split(',').filter((one) => one !== '')), [text]);
  const toggle = (key: string) => {
    const next = new Set(folded);
    if (!next.delete(key)) next.add(key);
    set([...next].join(','));
  };
  return { folded, toggle };
}

function Head({ head: { key, name, count, isOpen, state } }: { head: GroupHead }) {
  const { toggle } = useFolded();
  return (
    <button
      type="button"
      className={classes.group}
      aria-expanded={isOpen}
      onClick={() => toggle(key)}
      data-row-link
    >
      <span className={classes.arrow} data-open={isOpen || undefined} aria-hidden="true">
        ›
      </span>
      <Status {...state} iconOnly />
      <Name>{name}</Name>
      <span className={classes.found}>{countOf(count, 'server')}</span>
    </button>
  );
}

/** The rows come sorted: what a column says of their order only makes its head a button. */
const sorted = () => 0;

const TABLE_COLUMNS: readonly Column<TableRow>[] = COLUMNS.map(({ value, render, ...column }, index) => ({
  ...column,
  ...(value && { value: sorted }),
  render: ({ row, head }) => (row ? render(row) : index === 0 ? <Head head={head} /> : null),
}));

interface RowsProps {
  rows: readonly EstateRow[];
  isInGroups: boolean;
}

function Rows({ rows, isInGroups }: RowsProps) {
  const { sort, setSort } = useOrder();
  const groups = useTopology().data;
  const { folded } = useFolded();
  const ordered = useMemo(() => {
    const value = orderOf(sort.key);
    return value ? sortRows(rows, { value, descending: sort.descending, ties: TIES }) : rows;
  }, [rows, sort.key, sort.descending]);
  const shown = useMemo((): TableRow[] => {
    if (!isInGroups || !groups) return ordered.map((row) => ({ row }));
    return groupedRows(ordered, { groups, folded });
  }, [ordered, isInGroups, groups, folded]);
  return (
    <DataTable
      caption="Servers with their state"
      columns={TABLE_COLUMNS}
      rows={shown}
      rowKey={({ row, head }) => (row ? String(row.server.connection_id) : `group ${head.key}`)}
      rowPath={({ row }) => (row ? `/servers/${row.server.connection_id}` : undefined)}
      sort={sort}
      onSort={(next) => setSort(sortText(next))}
    />
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<SearchIcon size={26} />}
      title="No server matches"
      action={
        <Button variant="default" size="xs" onClick={onClear}>
          Clear the search
        </Button>
      }
    >
      Name, description, tags, host, version, role, owner, status, cluster and group are searched.
    </EmptyState>
  );
}

export function EstateTable({ servers }: { servers: readonly EstateServer[] }) {
  const { setSort, chosen } = useOrder();
  const [search, setSearch] = useUrlText('q');
  const [tag, setTag] = useTag();
  const [inGroups, setInGroups] = useUrlText('groups');
  const groups = useTopology().data;
  const mayGroup = groups !== undefined && isGrouped(groups);
  const rows = useEstateRows(servers);
  const names = useMemo(() => scopeNames(groups ?? []), [groups]);
  const found = useMemo(
    () =>
      rows.filter(
        ({ server }) => hasTag(server, tag) && matches(server, search, names.get(server.connection_id)),
      ),
    [rows, search, tag, names],
  );
  return (
    <section className={classes.table} aria-label="Servers">
      <div className={classes.tools}>
        <SearchField label="Search servers" value={search} onChange={setSearch} />
        <NativeSelect
          aria-label="Order"
          size="xs"
          data={
            ORDER_CHOICES.some(({ value }) => value === chosen)
              ? ORDER_CHOICES
              : [{ value: chosen, label: 'By a column' }, ...ORDER_CHOICES]
          }
          {...typed(chosen, setSort)}
        />
        <TagChoice servers={servers} />
        {mayGroup ? (
          <Button
            size="xs"
            variant="default"
            aria-pressed={inGroups === '1'}
            onClick={() => setInGroups(inGroups === '1' ? '' : '1')}
          >
            In groups
          </Button>
        ) : null}
        <span className={classes.found} role="status">
          {search || tag ? `${formatCount(found.length)} of ${countOf(servers.length, 'server')}` : null}
        </span>
      </div>
      {found.length === 0 ? (
        <NoMatch
          onClear={() => {
            setSearch('');
            setTag('');
          }}
        />
      ) : (
        <Rows rows={found} isInGroups={mayGroup && inGroups === '1'} />
      )}
    </section>
  );
}
