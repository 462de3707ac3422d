// What is known of a server, its load first.
import { lazy, Suspense } from 'react';
import { Panel } from '../../ui/panel.tsx';
import { Loading } from '../../ui/states.tsx';
import { ClusterPanel } from './cluster-panel.tsx';
import { DatabasesPanel } from './databases-panel.tsx';
import { PostgresqlPanel } from './postgresql-panel.tsx';
import classes from './server-page.module.css';
import type { ServerFacts } from './server-tabs.tsx';
import { SystemPanel } from './system-panel.tsx';

/** Charts are code of their own. */
export const loadOverview = () => import('../load/server-load.tsx');
const ServerLoad = lazy(async () => ({ default: (await loadOverview()).ServerLoad }));

const NotYet = (
  <Panel title="Load">
    <Loading what="the load" lines={8} />
  </Panel>
);

export function Overview({ facts }: { facts: ServerFacts }) {
  return (
    <div className={classes.overview}>
      <Suspense fallback={NotYet}>
        <ServerLoad id={facts.info.connection_id} />
      </Suspense>
      <Facts facts={facts} />
    </div>
  );
}

function Facts({ facts }: { facts: ServerFacts }) {
  return (
    <div className={classes.columns}>
      <div className={classes.column}>
        <DatabasesPanel
          id={facts.info.connection_id}
          databases={facts.info.databases}
          at={facts.info.sections_collected_at?.databases}
        />
        <PostgresqlPanel
          postgresql={facts.info.postgresql}
          at={facts.info.sections_collected_at?.postgresql}
        />
      </div>
      <div className={classes.column}>
        <ClusterPanel id={facts.info.connection_id} />
        <SystemPanel system={facts.info.system} coverage={facts.coverage} />
      </div>
    </div>
  );
}
