// Where the interface starts: styles, providers, routes.
import './app/mantine.css';
import './app/tokens.css';
import './app/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { onSessionLost } from './api/client.ts';
import { makeQueryClient } from './api/use-operation.ts';
import { fetchPagesAhead, router } from './app/router.tsx';
import { colorSchemeManager, theme } from './app/theme.ts';

const queryClient = makeQueryClient();
onSessionLost(() => queryClient.setQueryData(['getUserInfo', {}], { authenticated: false }));

fetchPagesAhead();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <MantineProvider
      theme={theme}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}
