// Every address of the interface. Pages beyond the estate are loaded when they are opened, or in a quiet moment
// before, so that one also opens while the server is away.
import { createBrowserRouter } from 'react-router';
import { EstatePage } from '../features/estate/estate-page.tsx';
import { NotFoundPage } from '../ui/not-found-page.tsx';
import { RequireUser } from './require-user.tsx';
import { RouteFault } from './route-fault.tsx';

const LAZY = {
  signIn: async () => ({ Component: (await import('../features/auth/sign-in-page.tsx')).SignInPage }),
  link: async () => ({ Component: (await import('../features/auth/link-page.tsx')).LinkPage }),
  clusters: async () => ({
    Component: (await import('../features/clusters/clusters-page.tsx')).ClustersPage,
  }),
  cluster: async () => ({ Component: (await import('../features/clusters/cluster-page.tsx')).ClusterPage }),
  probes: async () => ({ Component: (await import('../features/probes/probes-page.tsx')).ProbesPage }),
  account: async () => ({ Component: (await import('../features/auth/account-page.tsx')).AccountPage }),
  server: async () => ({ Component: (await import('../features/servers/server-page.tsx')).ServerPage }),
  groups: async () => ({ Component: (await import('../features/rbac/groups-page.tsx')).GroupsPage }),
  group: async () => ({ Component: (await import('../features/rbac/group-page.tsx')).GroupPage }),
  tokens: async () => ({ Component: (await import('../features/rbac/tokens-page.tsx')).TokensPage }),
  access: async () => ({ Component: (await import('../features/rbac/access-page.tsx')).AccessPage }),
  audit: async () => ({ Component: (await import('../features/audit/audit-page.tsx')).AuditPage }),
  users: async () => ({ Component: (await import('../features/rbac/users-page.tsx')).UsersPage }),
  add: async () => ({
    Component: (await import('../features/connections/add-connection-page.tsx')).AddConnectionPage,
  }),
  edit: async () => ({
    Component: (await import('../features/connections/edit-connection-page.tsx')).EditConnectionPage,
  }),
};

/** Fetches the code of all pages once the first one stands. A failure is met again, and told, when one is opened. */
export function fetchPagesAhead(): void {
  const quietly = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500));
  window.addEventListener('load', () => {
    quietly(() => void Promise.allSettled(Object.values(LAZY).map((load) => load())));
  });
}

export const router = createBrowserRouter([
  {
    errorElement: <RouteFault />,
    HydrateFallback: () => null,
    children: [
      { path: '/sign-in', lazy: LAZY.signIn },
      { path: '/link', lazy: LAZY.link },
      {
        element: <RequireUser />,
        children: [
          { path: '/', element: <EstatePage /> },
          { path: '/servers/new', lazy: LAZY.add },
          { path: '/servers/:id', lazy: LAZY.server },
          { path: '/servers/:id/edit', lazy: LAZY.edit },
          { path: '/clusters', lazy: LAZY.clusters },
          { path: '/clusters/:id', lazy: LAZY.cluster },
          { path: '/probes', lazy: LAZY.probes },
          { path: '/account', lazy: LAZY.account },
          { path: '/admin/users', lazy: LAZY.users },
          { path: '/admin/audit', lazy: LAZY.audit },
          { path: '/admin/access', lazy: LAZY.access },
          { path: '/admin/tokens', lazy: LAZY.tokens },
          { path: '/admin/groups', lazy: LAZY.groups },
          { path: '/admin/groups/:id', lazy: LAZY.group },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]);
