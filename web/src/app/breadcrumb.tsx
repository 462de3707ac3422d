// Where one is: Estate, then the server, then what is done to it.
import { Link, useLocation } from 'react-router';
import { useTopology } from '../features/estate/clusters/use-topology.ts';
import { useEstate } from '../features/estate/estate/use-estate.ts';
import { ForwardIcon } from '../ui/icons.ts';
import classes from './breadcrumb.module.css';
import { PAGES } from './pages.ts';

interface Crumb {
  title: string;
  path: string;
}

function adminCrumbs(pathname: string): Crumb[] {
  const page = PAGES.find(
    ({ path, permissions }) => permissions && (pathname === path || pathname.startsWith(`${path}/`)),
  );
  if (!page) return [];
  const crumbs: Crumb[] = [{ title: page.title, path: page.path }];
  return pathname === page.path ? crumbs : [...crumbs, { title: 'Group', path: pathname }];
}

function clusterCrumbs(id: string | undefined, nameOf: (id: string) => string | undefined): Crumb[] {
  const crumbs = [
    { title: 'Estate', path: '/' },
    { title: 'Clusters', path: '/clusters' },
  ];
  return id === undefined
    ? crumbs
    : [...crumbs, { title: nameOf(decodeURIComponent(id)) ?? 'Cluster', path: `/clusters/${id}` }];
}

function alertCrumbs(pathname: string): Crumb[] {
  const crumbs = [
    { title: 'Estate', path: '/' },
    { title: 'Alerts', path: '/alerts' },
  ];
  if (pathname === '/alerts') return crumbs;
  return [...crumbs, { title: pathname === '/alerts/rules' ? 'Rules' : 'Alert', path: pathname }];
}

function findingCrumbs(pathname: string): Crumb[] {
  const crumbs = [
    { title: 'Estate', path: '/' },
    { title: 'Findings', path: '/findings' },
  ];
  if (pathname === '/findings') return crumbs;
  return [...crumbs, { title: pathname === '/findings/checks' ? 'Checks' : 'Finding', path: pathname }];
}

function channelCrumbs(pathname: string): Crumb[] {
  const crumbs = [
    { title: 'Estate', path: '/' },
    { title: 'Channels', path: '/channels' },
  ];
  if (pathname === '/channels') return crumbs;
  return [...crumbs, { title: pathname === '/channels/new' ? 'Add' : 'Channel', path: pathname }];
}

interface Names {
  server: (id: string) => string;
  cluster: (id: string) => string | undefined;
}

function crumbsOf(pathname: string, names: Names): Crumb[] {
  const crumbs: Crumb[] = [{ title: 'Estate', path: '/' }];
  const [area, id, action] = pathname.split('/').filter(Boolean);
  if (area === 'clusters') return clusterCrumbs(id, names.cluster);
  if (area === 'alerts') return alertCrumbs(pathname);
  if (area === 'findings') return findingCrumbs(pathname);
  if (area === 'channels') return channelCrumbs(pathname);
  if (area === 'admin') return adminCrumbs(pathname);
  if (area === 'account') return [{ title: 'Account', path: '/account' }];
  if (area !== 'servers' || id === undefined) {
    const page = PAGES.find(({ path }) => path !== '/' && path === pathname);
    return page ? [...crumbs, page] : crumbs;
  }
  if (id === 'new') return [...crumbs, { title: 'Add a server', path: '/servers/new' }];
  crumbs.push({ title: names.server(id), path: `/servers/${id}` });
  if (action === 'edit') crumbs.push({ title: 'Edit', path: pathname });
  if (action === 'queries') {
    crumbs.push({ title: 'Queries', path: `/servers/${id}?tab=queries` });
    crumbs.push({ title: 'Statement', path: pathname });
  }
  return crumbs;
}

export function Breadcrumb() {
  const { pathname } = useLocation();
  const servers = useEstate().data?.servers ?? [];
  const clusters = useTopology().data?.flatMap((group) => group.clusters) ?? [];
  const server = (id: string) =>
    servers.find((server) => String(server.connection_id) === id)?.name ?? `Server ${id}`;
  const crumbs = crumbsOf(pathname, { server, cluster: (id) => clusters.find((one) => one.id === id)?.name });
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
