// How the server calls itself and what it is sized for.
import type { ServerInfo } from '../../../api/types.ts';
import { formatCount } from '../../../lib/format.ts';
import { KeyValues } from '../../../ui/key-values.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ReadAt } from '../../../ui/read-at.tsx';

const count = (value: number | null) => (value === null ? null : formatCount(value));

export interface PostgresqlPanelProps {
  postgresql: ServerInfo['postgresql'];
  /** When it was read. */
  at: string | null | undefined;
}

export function PostgresqlPanel({ postgresql, at }: PostgresqlPanelProps) {
  return (
    <Panel title="PostgreSQL" note={<ReadAt at={at} />}>
      <KeyValues
        wide
        items={[
          { name: 'Version', value: postgresql.version, whole: true },
          {
            name: 'Cluster name',
            value: postgresql.cluster_name === '' ? 'not set' : postgresql.cluster_name,
          },
          {
            name: 'Data directory',
            value: postgresql.data_directory === null ? null : <code>{postgresql.data_directory}</code>,
          },
          { name: 'Connections', value: count(postgresql.max_connections), detail: 'max_connections' },
          { name: 'WAL senders', value: count(postgresql.max_wal_senders), detail: 'max_wal_senders' },
          {
            name: 'Replication slots',
            value: count(postgresql.max_replication_slots),
            detail: 'max_replication_slots',
          },
        ]}
      />
    </Panel>
  );
}
