// Groups, clusters and servers as one tree that people arrange: by dragging, or by the menu of each row. Those who may
// not change it read it.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { isOutage } from '../../api/client.ts';
import { useOperation } from '../../api/use-operation.ts';
import { countOf } from '../../lib/format.ts';
import { clockTime } from '../../lib/time.ts';
import { useUrlText } from '../../lib/url-state.ts';
import { AddIcon, ClusterIcon, SearchIcon, StaleIcon } from '../../ui/icons.ts';
import { Name } from '../../ui/name.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { EmptyState, ErrorState, Loading, RequestId } from '../../ui/states.tsx';
import { Asks } from './asks.tsx';
import classes from './clusters.module.css';
import { type Ask, DeskContext, useDesk } from './desk.ts';
import { GroupSection } from './group-section.tsx';
import { type Cluster, type Group, isLone, serversOf } from './model.ts';
import { useDeskOf } from './use-desk-of.ts';
import { useTopology } from './use-topology.ts';

/** Larger estates begin with closed clusters. */
const OPEN_UP_TO = 60;

function narrowed(groups: readonly Group[], search: string): readonly Group[] {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return groups;
  const has = (...texts: (string | undefined)[]) =>
    texts.some((text) => text?.toLowerCase().includes(wanted));
  const matches = (cluster: Cluster) =>
    has(cluster.name, cluster.description) ||
    serversOf(cluster).some(({ name, host, role }) => has(name, host, role));
  return groups.flatMap((group) => {
    const clusters = has(group.name) ? group.clusters : group.clusters.filter(matches);
    return clusters.length > 0 || has(group.name) ? [{ ...group, clusters }] : [];
  });
}

function summary(groups: readonly Group[]): string {
  const clusters = groups.flatMap((group) => group.clusters);
  return [
    countOf(clusters.filter((one) => !isLone(one)).length, 'cluster'),
    countOf(clusters.flatMap(serversOf).length, 'server'),
    countOf(groups.length, 'group'),
  ].join(' · ');
}

function Dismissed() {
  const { mayManage, moves } = useDesk();
  const list = useOperation('listClusters', { query: { include_dismissed: true } }, { enabled: mayManage });
  const hidden = list.data?.filter(({ dismissed }) => dismissed) ?? [];
  if (hidden.length === 0) return null;
  return (
    <Panel title="Hidden" note="dismissed by somebody; detection leaves them hidden">
      <ul className={classes.hidden}>
        {hidden.map(({ id, name, auto_cluster_key }) => (
          <li key={id} className={classes.hiddenRow}>
            <Name>{name}</Name>
            <span className={classes.place}>
              {auto_cluster_key?.startsWith('standalone:') ? 'server' : 'cluster'}
            </span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Bring back ${name}`}
              disabled={moves.isBusy}
              onClick={() => void moves.bringBack(id, name)}
            >
              Bring back
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Arrangement({ groups }: { groups: readonly Group[] }) {
  const { moves } = useDesk();
  const [search, setSearch] = useUrlText('q');
  const found = narrowed(groups, search);
  const count = groups.flatMap(({ clusters }) => clusters.flatMap(serversOf)).length;
  const startsOpen = count <= OPEN_UP_TO || search.trim() !== '';
  return (
    <div className={classes.page}>
      <div className={classes.tools}>
        <SearchField label="Search clusters" value={search} onChange={setSearch} />
        <span className={classes.said} role="status">
          {moves.said}
        </span>
      </div>
      {moves.error && !moves.isBusy ? (
        <Notice tone="bad" role="alert">
          {moves.error.message}
          {moves.error.status >= 500 ? <RequestId error={moves.error} /> : null}
        </Notice>
      ) : null}
      {found.length === 0 ? (
        <div className={classes.group}>
          <EmptyState icon={<SearchIcon size={26} />} title="Nothing matches">
            Names of groups, clusters and servers, descriptions, hosts and roles are searched.
          </EmptyState>
        </div>
      ) : (
        found.map((group) => (
          <GroupSection key={`${group.id} ${startsOpen}`} group={group} startsOpen={startsOpen} />
        ))
      )}
      <Dismissed />
    </div>
  );
}

function Actions({ onAsk }: { onAsk: (ask: Ask) => void }) {
  return (
    <>
      <Button
        variant="default"
        leftSection={<AddIcon size={16} />}
        onClick={() => onAsk({ kind: 'new-group' })}
      >
        New group
      </Button>
      <Button
        leftSection={<AddIcon size={16} />}
        onClick={() => onAsk({ kind: 'new-cluster', group: undefined })}
      >
        New cluster
      </Button>
    </>
  );
}

export function ClustersPage() {
  const topology = useTopology();
  const [ask, setAsk] = useState<Ask>();
  const groups = topology.data;
  const desk = useDeskOf(groups, setAsk);
  const open = (next: Ask) => {
    desk.moves.forget();
    setAsk(next);
  };
  const close = () => {
    desk.moves.forget();
    setAsk(undefined);
  };
  const isEmpty = groups?.every(({ clusters }) => clusters.length === 0) && !desk.mayManage;
  return (
    <DeskContext value={{ ...desk, ask: open }}>
      <PageHeader
        title="Clusters"
        facts={groups ? summary(groups) : '\u00a0'}
        {...(desk.mayManage ? { actions: <Actions onAsk={open} /> } : {})}
      />
      {groups && topology.error && isOutage(topology.error) && topology.error.status !== 0 ? (
        <div className={classes.stale}>
          <Notice tone="warn" role="status" icon={<StaleIcon size={16} />}>
            What you see stands still since {clockTime(topology.dataUpdatedAt)}: {topology.error.message}
            <RequestId error={topology.error} />
          </Notice>
        </div>
      ) : null}
      {groups === undefined ? (
        <section className={classes.group} aria-label="Clusters">
          {topology.error ? (
            <ErrorState error={topology.error} what="the clusters" onRetry={() => topology.refetch()} />
          ) : (
            <div className={classes.loading}>
              <Loading what="the clusters" lines={8} />
            </div>
          )}
        </section>
      ) : isEmpty ? (
        <section className={classes.group} aria-label="Clusters">
          <EmptyState icon={<ClusterIcon size={26} />} title="No cluster to see">
            No server was shared with you. An administrator can give you access to some.
          </EmptyState>
        </section>
      ) : (
        <Arrangement groups={groups} />
      )}
      <Asks ask={ask} onClose={close} />
    </DeskContext>
  );
}
