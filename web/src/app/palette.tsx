// The palette: one field that finds servers, their parts, databases and statements, pages and actions; walked with the
// arrow keys, opened with Enter, left with Escape.
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useOperation } from '../api/use-operation.ts';
import { isLone } from '../features/estate/clusters/model.ts';
import { useTopology } from '../features/estate/clusters/use-topology.ts';
import { useEstate } from '../features/estate/estate/use-estate.ts';
import { useSignOut } from '../features/identity/auth/use-sign-out.ts';
import { useUser } from '../features/identity/auth/use-user.ts';
import { setDensity } from '../lib/preferences.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SearchIcon } from '../ui/icons.ts';
import classes from './palette.module.css';
import { type Action, type PaletteGroup, type PaletteItem, paletteGroups } from './palette-items.ts';

const TYPED_MS = 200;
const FOUND = 8;

/** The server whose page is open, and what all servers have of that text. */
function useFound(text: string) {
  const { pathname } = useLocation();
  const place = /^\/servers\/([1-9]\d{0,8})(?:\/|$)/.exec(pathname)?.[1];
  const here = place === undefined ? undefined : Number(place);
  const [settled] = useDebouncedValue(text.trim(), TYPED_MS);
  const isEmpty = settled === '';
  const found = useOperation(
    'searchEstate',
    { query: { text: isEmpty ? ' ' : settled, limit: FOUND, ...(here !== undefined && { near: here }) } },
    { enabled: !isEmpty, staleMs: 60_000 },
  );
  const isOfText = settled === text.trim();
  return { here, found: isOfText && !isEmpty ? found.data : undefined, isFailed: isOfText && found.isError };
}

function useActions(onDone: () => void): (action: Action) => void {
  // Mantine would stop transitions with a style element, which the Content-Security-Policy forbids.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const signOut = useSignOut();
  return (action) => {
    onDone();
    if (action === 'light' || action === 'dark' || action === 'auto') setColorScheme(action);
    else if (action === 'compact' || action === 'comfortable') setDensity(action);
    else if (action === 'sign-out') signOut.mutate({});
    // The palette has to be gone from the page first.
    else setTimeout(() => window.print(), 300);
  };
}

interface ListProps {
  id: string;
  groups: readonly PaletteGroup[];
  chosen: string | undefined;
  onChoose: (key: string) => void;
  onOpen: (item: PaletteItem) => void;
}

const optionId = (id: string, key: string) => `${id}-${key}`;

function Options({ id, groups, chosen, onChoose, onOpen }: ListProps) {
  return (
    <div id={id} role="listbox" aria-label="Found" className={classes.list}>
      {groups.map(({ title, items }) => (
        // biome-ignore lint/a11y/useSemanticElements: options of a list box stand in groups
        <div key={title} role="group" aria-label={title}>
          <div className={classes.group} aria-hidden="true">
            {title}
          </div>
          {items.map((item) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field
            <div
              key={item.key}
              id={optionId(id, item.key)}
              role="option"
              tabIndex={-1}
              aria-selected={item.key === chosen}
              className={classes.option}
              onMouseMove={() => onChoose(item.key)}
              onClick={() => onOpen(item)}
            >
              <bdi className={classes.title}>{item.title}</bdi>
              {item.detail === undefined ? null : <bdi className={classes.detail}>{item.detail}</bdi>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

interface FinderProps {
  onClose: () => void;
  /** What was typed before the field had the cursor, once. */
  takeAhead: () => string;
}

function Finder({ onClose, takeAhead }: FinderProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState<string>();
  const navigate = useNavigate();
  const perform = useActions(onClose);
  const user = useUser().data;
  const servers = useEstate().data?.servers ?? [];
  const topology = useTopology().data;
  const clusters = useMemo(
    () => (topology ?? []).flatMap((group) => group.clusters).filter((one) => !isLone(one)),
    [topology],
  );
  const { here, found, isFailed } = useFound(text);
  const groups = useMemo(
    () => paletteGroups(text, { user, servers, clusters, here, found }),
    [text, user, servers, clusters, here, found],
  );
  const items = groups.flatMap((group) => group.items);
  const chosen = items.find(({ key }) => key === wanted) ?? items[0];
  useEffect(() => {
    if (chosen) document.getElementById(optionId(id, chosen.key))?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);
  const open = ({ does }: PaletteItem) => {
    if ('action' in does) return perform(does.action);
    onClose();
    void navigate(does.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const at = chosen ? items.indexOf(chosen) : -1;
      setWanted(items[(at + step + items.length) % items.length]?.key);
    } else if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      open(chosen);
    }
  };
  return (
    <>
      <label className={classes.field}>
        <SearchIcon size={17} aria-hidden="true" />
        <span className="visually-hidden">Find anything</span>
        <input
          ref={field}
          data-autofocus
          role="combobox"
          aria-expanded={items.length > 0}
          aria-controls={id}
          aria-activedescendant={chosen ? optionId(id, chosen.key) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder="A server, a database, a statement, a page"
          value={text}
          onFocus={() => setText(text + takeAhead())}
          onChange={(event) => {
            setText(event.target.value);
            setWanted(undefined);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div className={classes.room}>
        {items.length > 0 ? (
          <Options id={id} groups={groups} chosen={chosen?.key} onChoose={setWanted} onOpen={open} />
        ) : null}
      </div>
      <p className={classes.remark} role="status">
        {items.length === 0 && (found || text.trim() === '') ? 'Nothing matches. ' : ''}
        {isFailed ? 'Databases and statements could not be searched.' : ''}
      </p>
    </>
  );
}

export function Palette({ opened, ...finder }: FinderProps & { opened: boolean }) {
  // Opened after it is there, also the first time: only then is it known where the focus was.
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(opened), [opened]);
  return (
    <Dialog title="Find" opened={isOpen} onClose={finder.onClose} size="lg">
      <Finder {...finder} />
    </Dialog>
  );
}
