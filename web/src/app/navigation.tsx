// The navigation in three groups: Watch is always open, with the servers as a tree below it; Set up and Administration fold,
// and this browser remembers which are open. A user without permissions of administration does not see that group.
import { ActionIcon } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { NavLink, useLocation } from 'react-router';
import { mayUse, useUser } from '../features/identity/auth/use-user.ts';
import { readPreference, writePreference } from '../lib/preferences.ts';
import { CollapseIcon, ForwardIcon } from '../ui/icons.ts';
import { NavTree } from './nav-tree.tsx';
import classes from './navigation.module.css';
import { PAGES, type Page } from './pages.ts';

const FOR_ALL = PAGES.filter(({ icon, permissions }) => icon !== undefined && permissions === undefined);
const WATCH = FOR_ALL.filter(({ isSetUp }) => !isSetUp);
const SET_UP = FOR_ALL.filter(({ isSetUp }) => isSetUp);

function Links({ pages, id }: { pages: readonly Page[]; id?: string }) {
  return (
    <ul className={classes.list} id={id}>
      {pages.map(({ path, title, icon: Icon, badge: Badge }) => (
        <li key={path}>
          <NavLink className={classes.link ?? ''} to={path} end={FOR_ALL.some((one) => one.path === path)}>
            {Icon ? <Icon size={16} /> : null}
            <span className={classes.text}>{title}</span>
            {Badge ? <Badge /> : null}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

const openGroups = (): readonly string[] => (readPreference('nav-groups') ?? '').split(',');

function remember(title: string, isOpen: boolean): void {
  const others = openGroups().filter((one) => one !== title && one !== '');
  writePreference('nav-groups', (isOpen ? [...others, title] : others).join(','));
}

/** Folded, it still shows the page that is open. */
function Folding({ title, pages }: { title: string; pages: readonly Page[] }) {
  const [isOpen, setOpen] = useState(() => openGroups().includes(title));
  const { pathname } = useLocation();
  const id = useId();
  const shown = isOpen ? pages : pages.filter(({ path }) => path === pathname);
  const toggle = () => {
    remember(title, !isOpen);
    setOpen(!isOpen);
  };
  return (
    <>
      <h2 className={classes.group}>
        <button
          type="button"
          className={classes.fold}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={toggle}
        >
          {title}
          <ForwardIcon size={13} aria-hidden="true" />
        </button>
      </h2>
      <Links pages={shown} id={id} />
    </>
  );
}

function Administration() {
  const user = useUser().data;
  const pages = PAGES.filter(({ permissions }) => permissions && mayUse(user, ...permissions));
  if (pages.length === 0) return null;
  return (
    <nav className={classes.foot} aria-label="Administration">
      <Folding title="Admin" pages={pages} />
    </nav>
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
      <nav className={classes.pages} aria-label="Pages and servers">
        <div className={classes.watch}>
          <h2 className={classes.heading}>Watch</h2>
          <Links pages={WATCH} />
        </div>
        <NavTree />
        <div className={classes.foot}>
          <Folding title="Set up" pages={SET_UP} />
        </div>
      </nav>
      <Administration />
    </div>
  );
}
