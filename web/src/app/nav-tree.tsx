// The estate as a tree in the navigation: one stop of the Tab key, walked with the arrow keys, narrowed by typing. What
// is closed stays closed in this browser; reading again changes marks in place. Enter in its field leads to the first server
// found, Escape empties it.
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useCallback,
  useDeferredValue,
  useMemo,
  useRef,
  useState,
} from 'react';
import { NavLink, useLocation, useNavigate } from 'react-router';
import { estateById, type Group, type Server, serverState } from '../features/estate/clusters/model.ts';
import { useLiveTopology } from '../features/estate/clusters/use-topology.ts';
import { matches } from '../features/estate/estate/server-state.ts';
import { useEstate } from '../features/estate/estate/use-estate.ts';
import { readPreference, writePreference } from '../lib/preferences.ts';
import { typed } from '../ui/field.ts';
import { ForwardIcon, SearchIcon } from '../ui/icons.ts';
import { Status } from '../ui/status.tsx';
import classes from './nav-tree.module.css';
import { stepOf, type TreeRow, treeRows } from './nav-tree-rows.ts';
import nav from './navigation.module.css';

type Toggled = Readonly<Record<string, boolean>>;

function readToggled(): Toggled {
  try {
    const kept: unknown = JSON.parse(readPreference('tree') ?? '{}');
    const entries = Object.entries(typeof kept === 'object' && kept !== null ? kept : {});
    return Object.fromEntries(
      entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    );
  } catch {
    return {};
  }
}

function useToggled(): [Toggled, (row: TreeRow) => void] {
  const [toggled, setToggled] = useState(readToggled);
  const toggle = (row: TreeRow) => {
    const next = { ...toggled, [row.rowKey]: !row.open };
    setToggled(next);
    writePreference('tree', JSON.stringify(next));
  };
  return [toggled, toggle];
}

/** Makes the rows that are to be shown for a search; undefined until the topology was read once. */
function useRowsOf(
  groups: readonly Group[] | undefined,
  toggled: Toggled,
): (search: string) => TreeRow[] | undefined {
  const estate = useEstate().data?.servers;
  return useCallback(
    (search) => {
      if (!groups) return undefined;
      const known = estateById(estate);
      const found = ({ id }: Server) => {
        const server = known.get(id);
        return server !== undefined && matches(server, search);
      };
      return treeRows(groups, {
        toggled,
        found: search.trim() === '' ? undefined : found,
        stateOf: (server) => serverState(server, known),
      });
    },
    [groups, estate, toggled],
  );
}

interface ItemProps extends Omit<TreeRow, 'state'> {
  mark: TreeRow['state']['mark'];
  label: string;
  isTrouble: boolean;
  isStop: boolean;
}

/** Plain values in, so that a row is drawn again only when something of it has changed. */
const Item = memo(function Item({ mark, label, isTrouble, isStop, ...row }: ItemProps) {
  const shared = {
    role: 'treeitem',
    'aria-level': row.level,
    'aria-posinset': row.position,
    'aria-setsize': row.size,
    'aria-expanded': row.open,
    'data-key': row.rowKey,
    'data-level': Math.min(row.level, 8),
    'data-kind': row.kind,
    tabIndex: isStop ? 0 : -1,
  };
  const content = (
    <>
      <span className={classes.chevron} data-chevron data-open={row.open || undefined} aria-hidden="true">
        {row.open === undefined ? null : <ForwardIcon size={13} />}
      </span>
      {row.kind === 'group' ? null : <Status mark={mark} label={label} iconOnly size={14} />}
      <span className={classes.text}>{row.name}</span>
      {row.kind === 'group' && isTrouble ? <Status mark={mark} label={label} iconOnly size={13} /> : null}
      {row.kind === 'server' ? null : (
        <span className={classes.count}>
          {row.count}
          <span className="visually-hidden"> {row.count === 1 ? 'server' : 'servers'}</span>
        </span>
      )}
    </>
  );
  return (
    <div className={classes.item}>
      {row.path === undefined ? (
        <button type="button" className={classes.row} {...shared}>
          {content}
        </button>
      ) : (
        <NavLink className={classes.row ?? ''} to={row.path} {...shared}>
          {content}
        </NavLink>
      )}
    </div>
  );
});

interface TreeProps {
  rows: readonly TreeRow[];
  onToggle: (row: TreeRow) => void;
}

const keyAt = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-key]')?.dataset.key : undefined;

function Tree({ rows, onToggle }: TreeProps) {
  const { pathname } = useLocation();
  const tree = useRef<HTMLDivElement>(null);
  const [last, setLast] = useState<string>();
  const here =
    rows.find(({ rowKey }) => rowKey === last) ?? rows.find(({ path }) => path === pathname) ?? rows[0];
  const focusRow = (row: TreeRow | undefined) => {
    const items = tree.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [];
    [...items].find((item) => item.dataset.key === row?.rowKey)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = rows.findIndex(({ rowKey }) => rowKey === here?.rowKey);
    const step = stepOf(rows, at, event.key);
    if (step) {
      event.preventDefault();
      if ('toggle' in step) onToggle(step.toggle);
      else focusRow(rows[step.to]);
    } else if (/^[\p{L}\p{N}]$/u.test(event.key)) {
      const wanted = event.key.toLowerCase();
      const order = [...rows.slice(at + 1), ...rows.slice(0, at + 1)];
      focusRow(order.find(({ name }) => name.toLowerCase().startsWith(wanted)));
    }
  };
  // Taken on the way down: a click on the arrow of a row opens or closes it, and follows no link.
  const onClick = (event: MouseEvent) => {
    const row = rows.find(({ rowKey }) => rowKey === keyAt(event.target));
    const onChevron = event.target instanceof Element && event.target.closest('[data-chevron]');
    if (row?.open === undefined || (row.path !== undefined && !onChevron)) return;
    event.preventDefault();
    onToggle(row);
  };
  return (
    <div
      ref={tree}
      role="tree"
      aria-label="Servers"
      tabIndex={-1}
      className={classes.tree}
      onKeyDown={onKeyDown}
      onClickCapture={onClick}
      onFocus={(event) => setLast(keyAt(event.target))}
    >
      {rows.map(({ state, ...row }) => (
        <Item
          key={row.rowKey}
          {...row}
          mark={state.mark}
          label={state.label}
          isTrouble={state.rank < 2}
          isStop={row.rowKey === here?.rowKey}
        />
      ))}
    </div>
  );
}

export function NavTree() {
  const [search, setSearch] = useState('');
  const [toggled, toggle] = useToggled();
  const topology = useLiveTopology();
  const rowsOf = useRowsOf(topology.data, toggled);
  const wanted = useDeferredValue(search);
  const rows = useMemo(() => rowsOf(wanted), [rowsOf, wanted]);
  const navigate = useNavigate();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setSearch('');
    if (event.key !== 'Enter' || search.trim() === '') return;
    const hit = rowsOf(search)?.find(({ kind }) => kind === 'server')?.path;
    if (hit === undefined) return;
    setSearch('');
    void navigate(hit);
  };
  return (
    <div className={classes.servers}>
      <h2 className={nav.heading}>Clusters and servers</h2>
      <label className={classes.search}>
        <SearchIcon size={14} aria-hidden="true" />
        <span className="visually-hidden">Find a server</span>
        <input
          type="search"
          placeholder="Find a server"
          maxLength={200}
          {...typed(search, setSearch)}
          onKeyDown={onKeyDown}
        />
      </label>
      {rows && rows.length > 0 ? <Tree rows={rows} onToggle={toggle} /> : null}
      {rows?.length === 0 && search.trim() !== '' ? (
        <p className={classes.remark}>No server matches.</p>
      ) : null}
      {!rows && topology.error ? (
        <p className={classes.remark}>The servers could not be read; this is tried again by itself.</p>
      ) : null}
    </div>
  );
}
