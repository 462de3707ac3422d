// One cluster: the picture of who replicates from whom, the numbers behind each line, slots and servers.
import { Button } from '@mantine/core';
import { lazy, Suspense, useMemo, useSyncExternalStore } from 'react';
import { Link, Navigate, useLocation, useParams } from 'react-router';
import { isOutage } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { countOf } from '../../../lib/format.ts';
import { clockTime } from '../../../lib/time.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { ClusterIcon, MoveIcon, StaleIcon, TimelineIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { EmptyState, RequestId } from '../../../ui/states.tsx';
import { mayManageConnections, useUser } from '../../identity/auth/use-user.ts';
import { ScopeAccessButton } from '../../identity/rbac/scope-access.tsx';
import { useEstate } from '../estate/use-estate.ts';
import classes from './cluster-page.module.css';
import { LinksPanel, ServersPanel, SlotsPanel } from './cluster-tables.tsx';
import { LinkPanel } from './link-panel.tsx';
import { asOfNow, keyOf } from './link-words.ts';
import { OriginMark } from './marks.tsx';
import {
  accessScope,
  type Cluster,
  clusterPath,
  estateById,
  type Group,
  reportPath,
  type Server,
  serverState,
  serversOf,
  TYPE_WORDS,
  timelinePath,
} from './model.ts';
import { RelationsEditor } from './relations-editor.tsx';
import { TopologyPicture } from './topology-picture.tsx';
import { useTopology } from './use-topology.ts';

/** Charts are code of their own: the picture of the cluster does not wait for them. */
const LagHistory = lazy(async () => ({ default: (await import('./lag-history.tsx')).LagHistory }));

const ClusterFindings = lazy(async () => ({
  default: (await import('../../insight/findings/cluster-findings.tsx')).ClusterFindings,
}));

const EVERY_MS = 10_000;
/** As often as ages are looked at between two answers. */
const tenSeconds = () => Math.floor(currentSecond() / 10) * 10;

interface FoundCluster {
  cluster: Cluster;
  group: Group;
}

function Replication({ cluster }: { cluster: Cluster }) {
  const detail = useOperation(
    'getClusterTopologyDetail',
    { params: { id: cluster.id } },
    { everyMs: EVERY_MS },
  );
  const [chosen, choose] = useUrlText('link');
  const mayManage = mayManageConnections(useUser().data);
  const estate = useEstate().data?.servers;
  const known = useMemo(() => estateById(estate), [estate]);
  const servers = useMemo(() => serversOf(cluster), [cluster]);
  const stateOf = (server: Server) => serverState(server, known);
  const nameOf = (id: number) => servers.find((one) => one.id === id)?.name ?? `Server ${id}`;
  const now = useSyncExternalStore(subscribeToSeconds, tenSeconds);
  const shown = useMemo(() => detail.data && asOfNow(detail.data, now), [detail.data, now]);
  const links = useMemo(() => shown?.links ?? [], [shown]);
  const link = links.find((one) => keyOf(one) === chosen);
  if (servers.length === 0)
    return (
      <div className={classes.frame}>
        <EmptyState icon={<ClusterIcon size={26} />} title="No servers in this cluster">
          {mayManage ? (
            <>
              <Link className="link" to="/clusters">
                Arrange clusters
              </Link>{' '}
              to move servers here.
            </>
          ) : (
            'You need the permission manage_connections to move servers here.'
          )}
        </EmptyState>
      </div>
    );
  return (
    <div className={layout.stack}>
      {detail.data && detail.error && isOutage(detail.error) && detail.error.status !== 0 ? (
        <Notice tone="warn" role="status" icon={<StaleIcon size={16} />}>
          Lag and slots are not updated since {clockTime(detail.dataUpdatedAt)}: {detail.error.message}
          <RequestId error={detail.error} />
        </Notice>
      ) : null}
      <Panel title="Topology" note="lines point to who receives; choose one for its lag">
        <TopologyPicture
          name={cluster.name}
          servers={cluster.servers}
          all={servers}
          links={links}
          chosen={chosen}
          onChoose={choose}
          stateOf={stateOf}
        />
      </Panel>
      {link ? (
        <LinkPanel link={link} slots={shown?.slots ?? []} nameOf={nameOf} onClose={() => choose('')} />
      ) : null}
      {shown === undefined ? (
        <Panel title="Replication">
          <Query query={detail} what="replication" lines={3} />
        </Panel>
      ) : (
        <>
          {links.length > 0 ? (
            <LinksPanel links={links} nameOf={nameOf} onChoose={choose} />
          ) : servers.length > 1 ? (
            <Panel title="Replication">
              <p className={classes.reason}>
                No replication between these servers was detected or set by hand.
              </p>
            </Panel>
          ) : null}
          <SlotsPanel detail={shown} nameOf={nameOf} />
        </>
      )}
      {links.some(({ relationship_type }) => relationship_type === 'streams_from') ? (
        <Suspense fallback={<Panel title="Lag over time">{null}</Panel>}>
          <LagHistory ids={servers.map((server) => server.id)} cluster={cluster.id} nameOf={nameOf} />
        </Suspense>
      ) : null}
      <Suspense fallback={<Panel title="Findings">{null}</Panel>}>
        <ClusterFindings ids={servers.map((server) => server.id)} />
      </Suspense>
      <ServersPanel servers={servers} stateOf={stateOf} />
      {mayManage && shown ? (
        <RelationsEditor cluster={cluster} servers={servers} links={links} nameOf={nameOf} />
      ) : null}
    </div>
  );
}

function Whole({ cluster, group }: FoundCluster) {
  const mayManage = mayManageConnections(useUser().data);
  const facts = [
    TYPE_WORDS[cluster.cluster_type],
    countOf(serversOf(cluster).length, 'server'),
    `in ${group.name}`,
    ...(cluster.description ? [cluster.description] : []),
  ];
  return (
    <>
      <PageHeader
        title={cluster.name}
        facts={
          <span className={classes.facts}>
            {facts.join(' · ')}
            <OriginMark cluster={cluster} />
          </span>
        }
        actions={
          <>
            <Button component={Link} to={reportPath(cluster)} variant="subtle">
              Report
            </Button>
            <Button
              component={Link}
              to={timelinePath(cluster)}
              variant="default"
              leftSection={<TimelineIcon size={16} />}
            >
              Timeline
            </Button>
            <ScopeAccessButton about={accessScope('cluster', cluster)} />
            {mayManage ? (
              <Button
                component={Link}
                to={`/clusters?q=${encodeURIComponent(cluster.name)}`}
                variant="default"
                leftSection={<MoveIcon size={16} />}
              >
                Arrange
              </Button>
            ) : null}
          </>
        }
      />
      <Replication cluster={cluster} />
    </>
  );
}

/** Not in the topology under this id: it may have been stored meanwhile, and goes by its number now. */
function Elsewhere({ id, groups }: { id: string; groups: readonly Group[] }) {
  const stored = useOperation('getCluster', { params: { id } });
  const { search } = useLocation();
  const now = stored.data && `cluster-${stored.data.id}`;
  const isShown = groups.some(({ clusters }) => clusters.some((one) => one.id === now));
  if (now !== undefined && now !== id && isShown)
    return <Navigate replace to={{ pathname: clusterPath({ id: now }), search }} />;
  return (
    <>
      <PageHeader title={stored.data?.name ?? 'Cluster'} />
      <div className={classes.frame}>
        {stored.isPending || (stored.error && stored.error.status !== 404 && stored.error.status !== 400) ? (
          <Query query={{ ...stored, data: undefined }} what="the cluster" lines={6} padded />
        ) : (
          <EmptyState icon={<ClusterIcon size={26} />} title="Cluster not found">
            {stored.data?.dismissed
              ? 'It was dismissed. You can restore it on the Clusters page with the permission manage_connections.'
              : 'It was deleted, or you have no access to its servers.'}{' '}
            <Link className="link" to="/clusters">
              Go to the clusters
            </Link>
          </EmptyState>
        )}
      </div>
    </>
  );
}

export function ClusterPage() {
  const { id = '' } = useParams();
  const topology = useTopology();
  if (topology.data === undefined)
    return (
      <>
        <PageHeader title="Cluster" facts={'\u00a0'} />
        <div className={classes.frame}>
          <Query query={topology} what="the cluster" lines={8} padded />
        </div>
      </>
    );
  const found = topology.data.flatMap((group) =>
    group.clusters.filter((one) => one.id === id).map((cluster) => ({ cluster, group })),
  )[0];
  return found ? <Whole key={id} {...found} /> : <Elsewhere key={id} id={id} groups={topology.data} />;
}
