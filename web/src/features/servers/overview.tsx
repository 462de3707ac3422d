import { ClusterPanel } from './cluster-panel.tsx';
import { DatabasesPanel } from './databases-panel.tsx';
import { PostgresqlPanel } from './postgresql-panel.tsx';
import classes from './server-page.module.css';
import type { ServerFacts } from './server-tabs.tsx';
import { SystemPanel } from './system-panel.tsx';

export function Overview({ facts }: { facts: ServerFacts }) {
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
