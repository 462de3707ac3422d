// The navigation: fixed entries, then the estate as a tree.
import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { CollapseIcon } from '../ui/icons.ts';
import { AdminLinks } from './admin-links.tsx';
import { NAV } from './nav.ts';
import { NavTree } from './nav-tree.tsx';
import classes from './navigation.module.css';

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
        <NavTree />
      </nav>
      <AdminLinks />
    </div>
  );
}
