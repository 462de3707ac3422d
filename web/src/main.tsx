// Where the interface starts: styles, providers, routes.
import './app/mantine.css';
import './app/tokens.css';
import './app/base.css';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { makeQueryClient } from './api/use-operation.ts';
import { readFirst } from './app/first-reads.ts';
import { Providers } from './app/providers.tsx';
import { codeOfFirstPage, fetchPagesAhead, router } from './app/router.tsx';
import { isBelowBase, withBase, withoutBase } from './lib/base-path.ts';

const { pathname, search, hash } = window.location;
// Opened past the proxy: the pages are below its path.
if (!isBelowBase(pathname)) window.location.replace(withBase(pathname + search + hash));

/** So long the page waits for what it shows first, so that it is made once; after that its frame stands alone. */
const FIRST_READS_MS = 400;

const client = makeQueryClient();
const first = Promise.all([readFirst(client, withoutBase(pathname)), codeOfFirstPage()]);
fetchPagesAhead();

async function show(root: HTMLElement): Promise<void> {
  await Promise.race([first, new Promise((resolve) => setTimeout(resolve, FIRST_READS_MS))]);
  createRoot(root).render(
    <Providers client={client}>
      {/* A page that is made in one piece is there sooner than one that is begun anew with each reply. */}
      <RouterProvider router={router} useTransitions={false} />
    </Providers>,
  );
}

const root = document.getElementById('root');
// The code of pages needs this file first, so that nothing here may await it on top.
if (root) void show(root);
