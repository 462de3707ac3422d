// The navigation: the pages for everybody, then the estate as a tree, and at its foot those of administration; whoever
// may do nothing there sees nothing of it.
import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { mayUse, useUser } from '../features/auth/use-user.ts';
import { CollapseIcon } from '../ui/icons.ts';
import { NavTree } from './nav-tree.tsx';
import classes from './navigation.module.css';
import { PAGES, type Page } from './pages.ts';

const FOR_ALL = PAGES.filter(({ icon, permissions }) => icon !== undefined && permissions === undefined);

function Links({ pages }: { pages: readonly Page[] }) {
  return (
    <ul className={classes.list}>
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

function Administration() {
  const user = useUser().data;
  const pages = PAGES.filter(({ permissions }) => permissions && mayUse(user, ...permissions));
  if (pages.length === 0) return null;
  return (
    <nav className={classes.foot} aria-label="Administration">
      <h2 className={classes.heading}>Administration</h2>
      <Links pages={pages} />
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
      <nav className={classes.scroll} aria-label="Pages and servers">
        <Links pages={FOR_ALL} />
        <NavTree />
      </nav>
      <Administration />
    </div>
  );
}
