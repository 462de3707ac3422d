// Where one is: Estate, then the server, then what is done to it.
import { Link, useLocation } from 'react-router';
import { useEstate } from '../features/estate/use-estate.ts';
import { ForwardIcon } from '../ui/icons.ts';
import { ADMIN_PAGES } from './admin-pages.ts';
import classes from './breadcrumb.module.css';

interface Crumb {
  title: string;
  path: string;
}

function adminCrumbs(pathname: string): Crumb[] {
  const page = ADMIN_PAGES.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`));
  if (!page) return [];
  const crumbs: Crumb[] = [{ title: page.title, path: page.path }];
  return pathname === page.path ? crumbs : [...crumbs, { title: 'Group', path: pathname }];
}

function clusterCrumbs(id: string | undefined): Crumb[] {
  const crumbs = [
    { title: 'Estate', path: '/' },
    { title: 'Clusters', path: '/clusters' },
  ];
  return id === undefined ? crumbs : [...crumbs, { title: 'Cluster', path: `/clusters/${id}` }];
}

function crumbsOf(pathname: string, nameOf: (id: string) => string): Crumb[] {
  const crumbs: Crumb[] = [{ title: 'Estate', path: '/' }];
  const [area, id, action] = pathname.split('/').filter(Boolean);
  if (area === 'clusters') return clusterCrumbs(id);
  if (area === 'probes') return [...crumbs, { title: 'Probes', path: '/probes' }];
  if (area === 'admin') return adminCrumbs(pathname);
  if (area === 'account') return [{ title: 'Account', path: '/account' }];
  if (area !== 'servers' || id === undefined) return crumbs;
  if (id === 'new') return [...crumbs, { title: 'Add a server', path: '/servers/new' }];
  crumbs.push({ title: nameOf(id), path: `/servers/${id}` });
  if (action === 'edit') crumbs.push({ title: 'Edit', path: pathname });
  return crumbs;
}

export function Breadcrumb() {
  const { pathname } = useLocation();
  const servers = useEstate().data?.servers ?? [];
  const nameOf = (id: string) =>
    servers.find((server) => String(server.connection_id) === id)?.name ?? `Server ${id}`;
  const crumbs = crumbsOf(pathname, nameOf);
  return (
    <nav className={classes.breadcrumb} aria-label="Breadcrumb">
      <ol className={classes.list}>
        {crumbs.map((crumb, at) => (
          <li key={crumb.path} className={classes.crumb}>
            {at > 0 ? <ForwardIcon size={13} aria-hidden="true" /> : null}
            <Link
              className={classes.link}
              to={crumb.path}
              aria-current={at === crumbs.length - 1 ? 'page' : undefined}
            >
              {crumb.title}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
