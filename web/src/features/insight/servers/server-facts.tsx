// What the facts of a server say of a part of its page, below what that part reads by itself.
import { ClusterPanel } from './cluster-panel.tsx';
import { DatabasesPanel } from './databases-panel.tsx';
import { ExtensionsView } from './extensions-view.tsx';
import { PostgresqlPanel } from './postgresql-panel.tsx';
import type { ServerFacts } from './server-tabs.tsx';
import { SystemPanel } from './system-panel.tsx';

interface Facts {
  facts: ServerFacts;
}

export const DatabaseFacts = ({ facts: { info } }: Facts) => (
  <DatabasesPanel
    id={info.connection_id}
    databases={info.databases}
    at={info.sections_collected_at?.databases}
  />
);

export const MachineFacts = ({ facts: { info, coverage } }: Facts) => (
  <SystemPanel system={info.system} coverage={coverage} />
);

export const ServerFactsPanel = ({ facts: { info } }: Facts) => (
  <PostgresqlPanel postgresql={info.postgresql} at={info.sections_collected_at?.postgresql} />
);

export const ClusterFacts = ({ facts: { info } }: Facts) => <ClusterPanel id={info.connection_id} />;

export const ExtensionFacts = ({ facts: { info } }: Facts) => (
  <ExtensionsView extensions={info.extensions} at={info.sections_collected_at?.extensions} />
);
