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

const client = makeQueryClient();
void readFirst(client, window.location.pathname);
fetchPagesAhead();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <Providers client={client}>
      <RouterProvider router={router} />
    </Providers>,
  );
}
