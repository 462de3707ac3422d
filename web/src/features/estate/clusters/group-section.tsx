// A group with its clusters and lone servers: takes what is dropped on it, is renamed in place.
import { Button } from '@mantine/core';
import { useId, useState } from 'react';
import { countOf } from '../../../lib/format.ts';
import { AccessIcon, AddIcon, DeleteIcon, EditIcon } from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { ClusterBlock } from './cluster-block.tsx';
import { type Dragged, useClusterContext } from './cluster-context.ts';
import classes from './clusters.module.css';
import { useDropTarget } from './drag.ts';
import { accessScope, type Cluster, type Group, isLone, serversOf } from './model.ts';
import { RenameField } from './rename-field.tsx';
import { type RowAction, RowMenu } from './row-menu.tsx';
import { ServerRow } from './server-row.tsx';

/** More rows than this wait until somebody asks for them. */
const SHOWN = 100;

function useActions(group: Group, onRename: () => void): (() => RowAction[]) | undefined {
  const { openDialog, mayManage, mayGiveAccess } = useClusterContext();
  const icon = <EditIcon size={15} />;
  const about = mayGiveAccess && !group.is_default ? accessScope('group', group) : undefined;
  const access = (): RowAction[] =>
    about
      ? [
          {
            title: 'Access…',
            icon: <AccessIcon size={15} />,
            run: () => openDialog({ kind: 'access', about }),
          },
        ]
      : [];
  if (!mayManage) return about && access;
  return () => [
    { title: 'Rename', icon, run: onRename },
    { title: 'Edit the description…', icon, run: () => openDialog({ kind: 'describe-group', group }) },
    {
      title: 'New cluster in this group…',
      icon: <AddIcon size={15} />,
      run: () => openDialog({ kind: 'new-cluster', group }),
    },
    ...access(),
    ...(group.is_default
      ? []
      : [
          {
            title: 'Delete…',
            icon: <DeleteIcon size={15} />,
            isDangerous: true,
            run: () => openDialog({ kind: 'delete-group', group }),
          },
        ]),
  ];
}

/** Clusters, and servers that stand by themselves. */
function moved(dragged: Dragged): Cluster | undefined {
  if (dragged.kind === 'cluster' || isLone(dragged.cluster)) return dragged.cluster;
  return undefined;
}

function Rows({ group, startsOpen }: { group: Group; startsOpen: boolean }) {
  const [all, setAll] = useState(false);
  const shown = all ? group.clusters : group.clusters.slice(0, SHOWN);
  return (
    <>
      <ul className={classes.blocks}>
        {shown.flatMap((cluster) =>
          isLone(cluster)
            ? cluster.servers.map((server) => (
                <ServerRow key={`s${server.id}`} server={server} cluster={cluster} group={group} />
              ))
            : [<ClusterBlock key={cluster.id} cluster={cluster} group={group} startsOpen={startsOpen} />],
        )}
      </ul>
      {shown.length < group.clusters.length ? (
        <Button variant="subtle" size="xs" className={classes.more ?? ''} onClick={() => setAll(true)}>
          Show all {group.clusters.length}
        </Button>
      ) : null}
    </>
  );
}

export function GroupSection({ group, startsOpen }: { group: Group; startsOpen: boolean }) {
  const { mayManage, mutations } = useClusterContext();
  const [renaming, setRenaming] = useState(false);
  const id = useId();
  const actions = useActions(group, () => setRenaming(true));
  const target = useDropTarget(
    (dragged) => moved(dragged) !== undefined && !group.clusters.some((one) => one.id === moved(dragged)?.id),
    (dragged) => {
      const cluster = moved(dragged);
      if (cluster) void mutations.moveCluster(cluster, group);
    },
  );
  const servers = group.clusters.flatMap(serversOf).length;
  return (
    <section className={classes.group} aria-labelledby={id} {...target}>
      <div className={classes.groupHead}>
        {renaming ? (
          <RenameField
            label={`Name of ${group.name}`}
            name={group.name}
            isBusy={mutations.isBusy}
            onSave={(name) => mutations.changeGroup(group, { name })}
            onDone={() => setRenaming(false)}
          />
        ) : (
          <div className={classes.words}>
            <h2 id={id} className={classes.groupName}>
              <Name>{group.name}</Name>
            </h2>
            {group.description ? <p className={classes.description}>{group.description}</p> : null}
          </div>
        )}
        {renaming ? (
          <span id={id} className="visually-hidden">
            {group.name}
          </span>
        ) : null}
        <span className={classes.count}>{countOf(servers, 'server')}</span>
        {actions ? <RowMenu id={group.id} name={group.name} actions={actions} /> : null}
      </div>
      {group.clusters.length === 0 ? (
        <p className={classes.empty}>
          No cluster is in it.{mayManage ? ' Drag one here, or choose “Move to a group” in its menu.' : ''}
        </p>
      ) : (
        <Rows group={group} startsOpen={startsOpen} />
      )}
    </section>
  );
}
