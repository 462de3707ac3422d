// Groups, clusters and servers as one tree that people arrange: by dragging, or by the menu of each row. Those who may
// not change it read it.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { isOutage } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { clockTime } from '../../../lib/time.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { AddIcon, ClusterIcon, SearchIcon, StaleIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState, RequestId } from '../../../ui/states.tsx';
import { ClusterContext, type ClusterDialog, useClusterContext } from './cluster-context.ts';
import { ClusterDialogs } from './cluster-dialogs.tsx';
import classes from './clusters.module.css';
import { GroupSection } from './group-section.tsx';
import { type Cluster, type Group, isLone, serversOf } from './model.ts';
import { useClusterContextValue } from './use-cluster-context-value.ts';
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
  const { mayManage, mutations } = useClusterContext();
  const list = useOperation('listClusters', { query: { include_dismissed: true } }, { enabled: mayManage });
  const hidden = list.data?.filter(({ dismissed }) => dismissed) ?? [];
  if (hidden.length === 0) return null;
  return (
    <Panel title="Hidden" note="dismissed by a user; detection keeps them hidden">
      <ul className={classes.hidden}>
        {hidden.map(({ id, name, auto_cluster_key }) => (
          <li key={id} className={classes.hiddenRow}>
            <Name>{name}</Name>
            <span className={classes.place}>
              {auto_cluster_key?.startsWith('standalone:') ? 'server' : 'cluster'}
            </span>
            <RowButton
              verb="Bring back"
              of={name}
              disabled={mutations.isBusy}
              onClick={() => void mutations.bringBack(id, name)}
            />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface ArrangementProps {
  groups: readonly Group[];
  /** A dialog is open, which says itself what was refused. */
  isBehindDialog: boolean;
}

function Arrangement({ groups, isBehindDialog }: ArrangementProps) {
  const { mutations } = useClusterContext();
  const [search, setSearch] = useUrlText('q');
  const found = narrowed(groups, search);
  const count = groups.flatMap(({ clusters }) => clusters.flatMap(serversOf)).length;
  const startsOpen = count <= OPEN_UP_TO || search.trim() !== '';
  return (
    <div className={layout.stack}>
      <div className={classes.tools}>
        <SearchField label="Search clusters" value={search} onChange={setSearch} />
        <span className={layout.remark} role="status">
          {mutations.said}
        </span>
      </div>
      <FormError error={mutations.isBusy || isBehindDialog ? null : mutations.error} />
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

function Actions({ onOpen }: { onOpen: (dialog: ClusterDialog) => void }) {
  return (
    <>
      <Button
        variant="default"
        leftSection={<AddIcon size={16} />}
        onClick={() => onOpen({ kind: 'new-group' })}
      >
        New group
      </Button>
      <Button
        leftSection={<AddIcon size={16} />}
        onClick={() => onOpen({ kind: 'new-cluster', group: undefined })}
      >
        New cluster
      </Button>
    </>
  );
}

export function ClustersPage() {
  const topology = useTopology();
  const [dialog, setDialog] = useState<ClusterDialog>();
  const groups = topology.data;
  const context = useClusterContextValue(groups, setDialog);
  const open = (next: ClusterDialog) => {
    context.mutations.forget();
    setDialog(next);
  };
  const close = () => {
    context.mutations.forget();
    setDialog(undefined);
  };
  const isEmpty = groups?.every(({ clusters }) => clusters.length === 0) && !context.mayManage;
  return (
    <ClusterContext value={{ ...context, openDialog: open }}>
      <PageHeader
        title="Clusters"
        facts={groups ? summary(groups) : '\u00a0'}
        {...(context.mayManage ? { actions: <Actions onOpen={open} /> } : {})}
      />
      {groups && topology.error && isOutage(topology.error) && topology.error.status !== 0 ? (
        <div className={classes.stale}>
          <Notice tone="warn" role="status" icon={<StaleIcon size={16} />}>
            Not updated since {clockTime(topology.dataUpdatedAt)}: {topology.error.message}
            <RequestId error={topology.error} />
          </Notice>
        </div>
      ) : null}
      {groups === undefined ? (
        <section className={classes.group} aria-label="Clusters">
          <Query query={topology} what="the clusters" lines={8} padded />
        </section>
      ) : isEmpty ? (
        <section className={classes.group} aria-label="Clusters">
          <EmptyState icon={<ClusterIcon size={26} />} title="No clusters">
            You have no access to any server. An administrator can give it to you.
          </EmptyState>
        </section>
      ) : (
        <Arrangement groups={groups} isBehindDialog={dialog !== undefined} />
      )}
      <ClusterDialogs dialog={dialog} onClose={close} />
    </ClusterContext>
  );
}
