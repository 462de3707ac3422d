// Every address of the interface: the pages, inside what surrounds them.
import { createBrowserRouter, type RouteObject } from 'react-router';
import { basePath } from '../lib/base-path.ts';
import { nearRows } from '../ui/data-table-rows.tsx';
import { NotFoundPage } from '../ui/not-found-page.tsx';
import { PAGES, type Page } from './pages.ts';
import { RequireUser } from './require-user.tsx';
import { RouteFault } from './route-fault.tsx';

/** The first page, with what it reads, has the browser to itself for so long once it stands. */
const FIRST_PAGE_MS = 2500;
/** How often is looked whether it stands. */
const LOOK_MS = 250;

/** What the frame around every page opens. */
const FRAME = [
  () => import('../features/identity/auth/session-ended.tsx'),
  () => import('../ui/menu.tsx'),
  () => import('./account-items.tsx'),
  () => import('./nav-drawer.tsx'),
  nearRows,
];

/**
 * Fetches the code of all pages once the first one stands, one after the other. A failure is met again, and told, when the
 * page is opened.
 */
export function fetchPagesAhead(): void {
  const quietly = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 200));
  const loads = [...FRAME, ...PAGES.flatMap(({ load }) => load ?? [])];
  const fetchFrom = (index: number): void => {
    const load = loads[index];
    if (!load) return;
    quietly(() => {
      load().then(
        () => fetchFrom(index + 1),
        () => fetchFrom(index + 1),
      );
    });
  };
  // On a slow machine a page is still being made long after its files have come.
  const begin = (): void => {
    if (document.querySelector('h1')) setTimeout(() => fetchFrom(0), FIRST_PAGE_MS);
    else setTimeout(begin, LOOK_MS);
  };
  window.addEventListener('load', begin);
}

const routeOf = ({ path, page, load }: Page): RouteObject => ({
  path,
  ...(page ? { Component: page } : {}),
  ...(load ? { lazy: async () => ({ Component: await load() }) } : {}),
});

export const router = createBrowserRouter(
  [
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
  ],
  { basename: basePath === '' ? '/' : basePath },
);

/** Resolves once the code of the page that the address names is there. */
export const codeOfFirstPage = (): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (router.state.initialized) resolve();
    };
    router.subscribe(look);
    look();
  });
