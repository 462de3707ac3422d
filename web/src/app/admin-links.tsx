// The part of the navigation for administration, always at its foot; those who may do nothing there see nothing of it.
import { NavLink } from 'react-router';
import { mayUse, useUser } from '../features/auth/use-user.ts';
import classes from './admin-links.module.css';
import { ADMIN_PAGES } from './admin-pages.ts';

export function AdminLinks() {
  const user = useUser().data;
  const pages = ADMIN_PAGES.filter(({ permissions }) => mayUse(user, ...permissions));
  if (pages.length === 0) return null;
  return (
    <nav className={classes.foot} aria-label="Administration">
      <h2 className={classes.heading}>Administration</h2>
      <ul className={classes.list}>
        {pages.map(({ path, title, icon: Icon }) => (
          <li key={path}>
            <NavLink className={classes.link ?? ''} to={path}>
              <Icon size={16} />
              <span>{title}</span>
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
