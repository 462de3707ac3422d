// What every page stands in: the theme, and what was read from the server. A session that the server calls over is
// noted here, for all pages at once.
import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { onSessionLost } from '../api/client.ts';
import { colorSchemeManager, theme } from './theme.ts';

export function Providers({ client, children }: { client: QueryClient; children: ReactNode }) {
  useEffect(
    () => onSessionLost(() => client.setQueryData(['getUserInfo', {}], { authenticated: false })),
    [client],
  );
  return (
    <MantineProvider
      theme={theme}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}
