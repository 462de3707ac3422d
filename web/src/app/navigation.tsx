// The navigation: fixed entries, then every visible server with its state, worst first, with a filter once the list
// is long. Ctrl+K (⌘K) puts the cursor there from anywhere.
import { ActionIcon } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { NavLink } from 'react-router';
import type { EstateServer } from '../api/types.ts';
import { badness, matches, stateOf } from '../features/estate/server-state.ts';
import { useEstate } from '../features/estate/use-estate.ts';
import { sortRows } from '../lib/sort.ts';
import { CollapseIcon, SearchIcon } from '../ui/icons.ts';
import { Status } from '../ui/status.tsx';
import { NAV } from './nav.ts';
import classes from './navigation.module.css';

/** Long estates are cut here; the filter and the estate page reach the rest. */
const SHOWN = 60;

const FOCUS_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

function ServerLink({ server }: { server: EstateServer }) {
  const state = stateOf(server);
  return (
    <li>
      <NavLink className={classes.link ?? ''} to={`/servers/${server.connection_id}`}>
        <Status mark={state.mark} label={state.label} iconOnly size={14} />
        <span className={classes.text}>{server.name}</span>
      </NavLink>
    </li>
  );
}

function useFocusKey() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (!field.current?.offsetParent) return;
      event.preventDefault();
      field.current.focus();
      field.current.select();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return field;
}

function Servers() {
  const estate = useEstate();
  const [search, setSearch] = useState('');
  const field = useFocusKey();
  const all = estate.data?.servers ?? [];
  const found = sortRows(
    all.filter((server) => matches(server, search)),
    { value: badness, descending: false, ties: [(server) => server.name] },
  );
  return (
    <div className={classes.servers}>
      <h2 className={classes.heading}>Servers</h2>
      <label className={classes.search}>
        <SearchIcon size={14} aria-hidden="true" />
        <span className="visually-hidden">Find a server</span>
        <input
          ref={field}
          type="search"
          placeholder="Find a server"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && setSearch('')}
        />
        <span className={classes.keys} aria-hidden="true">
          {FOCUS_KEYS}
        </span>
      </label>
      <ul className={classes.list}>
        {found.slice(0, SHOWN).map((server) => (
          <ServerLink key={server.connection_id} server={server} />
        ))}
      </ul>
      {found.length > SHOWN ? (
        <p className={classes.remark}>and {found.length - SHOWN} more; type to find one</p>
      ) : null}
      {all.length > 0 && found.length === 0 ? <p className={classes.remark}>No server matches.</p> : null}
    </div>
  );
}

export interface NavigationProps {
  brand: ReactNode;
  onFold?: () => void;
  action?: ReactNode;
}

export function Navigation({ brand, onFold, action }: NavigationProps) {
  return (
    <div className={classes.navigation}>
      <div className={classes.top}>
        {brand}
        {action}
        {onFold ? (
          <ActionIcon variant="subtle" aria-label="Hide the navigation" onClick={onFold}>
            <CollapseIcon size={18} />
          </ActionIcon>
        ) : null}
      </div>
      <nav className={classes.scroll} aria-label="Pages and servers">
        <ul className={classes.list}>
          {NAV.map(({ path, title, icon: Icon }) => (
            <li key={path}>
              <NavLink className={classes.link ?? ''} to={path} end>
                <Icon size={16} />
                <span className={classes.text}>{title}</span>
              </NavLink>
            </li>
          ))}
        </ul>
        <Servers />
      </nav>
    </div>
  );
}
