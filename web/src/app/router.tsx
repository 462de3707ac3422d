// Every address of the interface: the pages, inside what surrounds them.
import { createBrowserRouter, type RouteObject } from 'react-router';
import { NotFoundPage } from '../ui/not-found-page.tsx';
import { PAGES, type Page } from './pages.ts';
import { RequireUser } from './require-user.tsx';
import { RouteFault } from './route-fault.tsx';

/** Fetches the code of all pages once the first one stands. A failure is met again, and told, when one is opened. */
export function fetchPagesAhead(): void {
  const quietly = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500));
  window.addEventListener('load', () => {
    quietly(() => void Promise.allSettled(PAGES.map(({ load }) => load?.())));
  });
}

const routeOf = ({ path, page, load }: Page): RouteObject => ({
  path,
  ...(page ? { Component: page } : {}),
  ...(load ? { lazy: async () => ({ Component: await load() }) } : {}),
});

export const router = createBrowserRouter([
  {
    errorElement: <RouteFault />,
    HydrateFallback: () => null,
    children: [
      ...PAGES.filter(({ isPublic }) => isPublic).map(routeOf),
      {
        element: <RequireUser />,
        children: [
          ...PAGES.filter(({ isPublic }) => !isPublic).map(routeOf),
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]);
