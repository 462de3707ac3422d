// The last net: a page that broke, or one whose code could not be loaded because a newer version was installed.
import { Button } from '@mantine/core';
import { useRouteError } from 'react-router';
import { WarningIcon } from '../ui/icons.ts';
import { EmptyState } from '../ui/states.tsx';

export function RouteFault() {
  const error = useRouteError();
  const message = error instanceof Error ? error.message : 'Unknown failure';
  return (
    <main>
      <title>Something broke · Matriarch</title>
      <EmptyState
        icon={<WarningIcon size={26} />}
        title="This page could not be shown"
        action={<Button onClick={() => window.location.reload()}>Load again</Button>}
      >
        Loading it again usually helps, above all after an update. The browser reported: {message}
      </EmptyState>
    </main>
  );
}
