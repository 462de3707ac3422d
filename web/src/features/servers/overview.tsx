// What one looks for first on the page of a server, as code of its own.
import { lazy, Suspense } from 'react';
import { Panel } from '../../ui/panel.tsx';
import { Loading } from '../../ui/states.tsx';
import type { ServerFacts } from './server-tabs.tsx';

/** Charts are code of their own. */
export const loadOverview = () => import('../cockpit/cockpit.tsx');
const Cockpit = lazy(async () => ({ default: (await loadOverview()).Cockpit }));

const NotYet = (
  <Panel title="Load">
    <Loading what="the load" lines={8} />
  </Panel>
);

export function Overview({ facts }: { facts: ServerFacts }) {
  return (
    <Suspense fallback={NotYet}>
      <Cockpit facts={facts} />
    </Suspense>
  );
}
