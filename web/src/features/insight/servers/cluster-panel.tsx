// Where the server belongs: its cluster and role, who put it there, whom it replicates with. It is moved from here too.
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { MoveIcon } from '../../../ui/icons.ts';
import { type KeyValue, KeyValues } from '../../../ui/key-values.tsx';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Since } from '../../../ui/since.tsx';
import { Status } from '../../../ui/status.tsx';
import { ClusterContext, type ClusterDialog } from '../../estate/clusters/cluster-context.ts';
import { ClusterDialogs } from '../../estate/clusters/cluster-dialogs.tsx';
import { pauseOf, streamedUntil } from '../../estate/clusters/link-words.ts';
import { MembershipMark } from '../../estate/clusters/marks.tsx';
import {
  type Cluster,
  type ClusterLink,
  clusterPath,
  type Group,
  isLone,
  LAST_SEEN_WORDS,
  RELATION_WORDS,
  roleNow,
  roleWords,
  type Server,
  serversOf,
} from '../../estate/clusters/model.ts';
import { useClusterContextValue } from '../../estate/clusters/use-cluster-context-value.ts';
import { useTopology } from '../../estate/clusters/use-topology.ts';
import classes from './cluster-panel.module.css';

type Membership = OperationTypes['getConnectionCluster']['result'];
type Receiver = NonNullable<Membership['receiver']>;

const EVERY_MS = 30_000;

interface ClusterPosition {
  group: Group;
  cluster: Cluster;
  server: Server;
}

function positionOf(groups: readonly Group[], id: number): ClusterPosition | undefined {
  return groups.flatMap((group) =>
    group.clusters.flatMap((cluster) =>
      serversOf(cluster)
        .filter((server) => server.id === id)
        .map((server) => ({ group, cluster, server })),
    ),
  )[0];
}

function clusterValue(position: ClusterPosition | undefined): ReactNode {
  if (!position) return 'Hidden from clusters';
  if (isLone(position.cluster)) return 'None (a cluster of its own)';
  return (
    <Link className="link" to={clusterPath(position.cluster)}>
      <Name>{position.cluster.name}</Name>
    </Link>
  );
}

interface RelationsProps {
  id: number;
  relationships: Membership['relationships'];
  receiver: Membership['receiver'];
  links: readonly ClusterLink[];
  /** Nothing is known of it now. */
  isOffline: boolean;
}

/** A standby whose replay is paused receives WAL and falls behind. */
function Pause({ link }: { link: ClusterLink | undefined }) {
  const label = link && pauseOf(link)?.label;
  return label === undefined ? null : <Status mark="warning" label={label} />;
}

function Relations({ id, relationships, receiver, links, isOffline }: RelationsProps) {
  return (
    <ul className={classes.relations}>
      {relationships.map((one) => {
        const isSource = one.source_connection_id === id;
        const until = isSource ? streamedUntil(one.relationship_type, receiver) : null;
        const [other, name] = isSource
          ? [one.target_connection_id, one.target_name]
          : [one.source_connection_id, one.source_name];
        const link = (
          <Link className="link" to={`/servers/${other}`}>
            <Name>{name}</Name>
          </Link>
        );
        return (
          <li key={one.id}>
            {!isSource ? (
              <>
                {link} {(isOffline ? LAST_SEEN_WORDS : RELATION_WORDS)[one.relationship_type]} it
              </>
            ) : until === null ? (
              <>
                {RELATION_WORDS[one.relationship_type]} {link}
              </>
            ) : (
              <>
                {LAST_SEEN_WORDS[one.relationship_type]} {link} <RelativeTime at={until} />
              </>
            )}
            <Pause
              link={links.find(
                (link) =>
                  link.source_connection_id === one.source_connection_id &&
                  link.target_connection_id === one.target_connection_id,
              )}
            />
            {one.is_auto_detected ? null : <span className={layout.small}> (set by hand)</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Whether anything reaches a standby, and since when not. */
function receiverValue({ is_receiving, reason, since, collected_at }: Receiver): Omit<KeyValue, 'name'> {
  const seen = <RelativeTime at={collected_at} />;
  if (is_receiving) return { value: 'Streaming', detail: <>seen {seen}</> };
  const label = is_receiving === null ? 'Not known' : 'Not receiving';
  return {
    value: (
      <>
        <Status mark={is_receiving === null ? 'unknown' : 'failed'} label={label} />{' '}
        {since === null ? null : <Since at={since} />}
      </>
    ),
    detail: (
      <>
        {reason} Last read {seen}
      </>
    ),
  };
}

interface PanelFacts {
  id: number;
  membership: Membership;
  links: readonly ClusterLink[];
  position: ClusterPosition | undefined;
}

function itemsOf({ id, membership, links, position }: PanelFacts): KeyValue[] {
  const { info, relationships, receiver } = membership;
  const isOffline = position?.server.status === 'offline';
  const pinned = info.membership_source === 'manual';
  return [
    {
      name: 'Cluster',
      value: clusterValue(position),
      detail: position ? `in the group ${position.group.name}` : undefined,
    },
    { name: 'Role', value: position ? roleNow(position.server) : roleWords(info.role) },
    {
      name: 'Membership',
      value: pinned ? <MembershipMark server={info} /> : 'Follows detection',
      detail: pinned ? 'Assigned by hand; detection does not move it.' : undefined,
    },
    {
      name: 'Replication',
      value:
        relationships.length > 0 ? (
          <Relations {...{ id, relationships, receiver, links, isOffline }} />
        ) : (
          'none known'
        ),
    },
    ...(receiver ? [{ name: 'WAL receiver', ...receiverValue(receiver) }] : []),
  ];
}

export function ClusterPanel({ id }: { id: number }) {
  const membership = useOperation('getConnectionCluster', { params: { id } }, { everyMs: EVERY_MS });
  const topology = useTopology().data;
  const cluster = membership.data?.info.cluster_id ?? null;
  const detail = useOperation(
    'getClusterTopologyDetail',
    { params: { id: `cluster-${cluster}` } },
    { everyMs: EVERY_MS, enabled: cluster !== null && membership.data?.relationships.length !== 0 },
  ).data;
  const links = detail?.links ?? [];
  const [dialog, setDialog] = useState<ClusterDialog>();
  const context = useClusterContextValue(topology, setDialog);
  const position = topology && positionOf(topology, id);
  const { mutations } = context;
  const close = () => {
    mutations.forget();
    setDialog(undefined);
  };
  if (!membership.data || !topology)
    return (
      <Panel title="Cluster">
        <Query query={{ ...membership, data: undefined }} what="its cluster" lines={3} />
      </Panel>
    );
  return (
    <ClusterContext value={context}>
      <Panel title="Cluster">
        <KeyValues items={itemsOf({ id, membership: membership.data, links, position })} />
        {context.mayManage && position ? (
          <div className={classes.actions}>
            <Button
              variant="default"
              size="xs"
              leftSection={<MoveIcon size={14} />}
              onClick={() =>
                setDialog({ kind: 'move-server', server: position.server, cluster: position.cluster })
              }
            >
              Move…
            </Button>
            {membership.data.info.membership_source === 'manual' ? (
              <Button
                variant="default"
                size="xs"
                loading={mutations.isBusy}
                onClick={() => void mutations.giveBack(position.server)}
              >
                Give back to detection
              </Button>
            ) : null}
            <span className={layout.small} role="status">
              {mutations.error && !dialog ? mutations.error.message : mutations.said}
            </span>
          </div>
        ) : null}
      </Panel>
      <ClusterDialogs dialog={dialog} onClose={close} />
    </ClusterContext>
  );
}
