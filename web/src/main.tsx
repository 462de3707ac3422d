// Where the interface starts: styles, providers, routes.
import './app/mantine.css';
import './app/tokens.css';
import './app/base.css';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { makeQueryClient } from './api/use-operation.ts';
import { readFirst } from './app/first-reads.ts';
import { Providers } from './app/providers.tsx';
import { fetchPagesAhead, router } from './app/router.tsx';
import { isBelowBase, withBase, withoutBase } from './lib/base-path.ts';

const { pathname, search, hash } = window.location;
// Opened past the proxy: the pages are below its path.
if (!isBelowBase(pathname)) window.location.replace(withBase(pathname + search + hash));

const client = makeQueryClient();
void readFirst(client, withoutBase(pathname));
fetchPagesAhead();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <Providers client={client}>
      <RouterProvider router={router} />
    </Providers>,
  );
}
