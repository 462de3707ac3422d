// Every address of the interface. Pages beyond the first two are loaded when they are opened.
import { createBrowserRouter } from 'react-router';
import { EstatePage } from '../features/estate/estate-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { RequireUser } from './require-user.tsx';
import { RouteFault } from './route-fault.tsx';

export const router = createBrowserRouter([
  {
    errorElement: <RouteFault />,
    HydrateFallback: () => null,
    children: [
      {
        path: '/sign-in',
        lazy: async () => ({ Component: (await import('../features/auth/sign-in-page.tsx')).SignInPage }),
      },
      {
        path: '/link',
        lazy: async () => ({ Component: (await import('../features/auth/link-page.tsx')).LinkPage }),
      },
      {
        element: <RequireUser />,
        children: [
          { path: '/', element: <EstatePage /> },
          {
            path: '/servers/new',
            lazy: async () => ({
              Component: (await import('../features/connections/add-connection-page.tsx')).AddConnectionPage,
            }),
          },
          {
            path: '/servers/:id',
            lazy: async () => ({
              Component: (await import('../features/servers/server-page.tsx')).ServerPage,
            }),
          },
          {
            path: '/servers/:id/edit',
            lazy: async () => ({
              Component: (await import('../features/connections/edit-connection-page.tsx'))
                .EditConnectionPage,
            }),
          },
          {
            path: '/account',
            lazy: async () => ({
              Component: (await import('../features/auth/account-page.tsx')).AccountPage,
            }),
          },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]);
