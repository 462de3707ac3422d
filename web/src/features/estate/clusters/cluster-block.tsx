// A cluster with its servers: takes servers that are dropped on it, is dragged to groups, is renamed in place.
import { ActionIcon } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { countOf } from '../../../lib/format.ts';
import {
  AccessIcon,
  DeleteIcon,
  EditIcon,
  FolderIcon,
  ForwardIcon,
  GripIcon,
  HideIcon,
} from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { Status } from '../../../ui/status.tsx';
import { useClusterContext } from './cluster-context.ts';
import classes from './clusters.module.css';
import { useDragSource, useDropTarget } from './drag.ts';
import { OriginMark } from './marks.tsx';
import {
  accessScope,
  type Cluster,
  clusterPath,
  type Group,
  isManual,
  serversOf,
  TYPE_WORDS,
  worstState,
} from './model.ts';
import { RenameField } from './rename-field.tsx';
import { type RowAction, RowMenu } from './row-menu.tsx';
import { ServerRow } from './server-row.tsx';

interface RowContext {
  cluster: Cluster;
  group: Group;
}

function useActions({ cluster, group }: RowContext, onRename: () => void): (() => RowAction[]) | undefined {
  const { openDialog, mayManage, mayGiveAccess } = useClusterContext();
  const about = mayGiveAccess ? accessScope('cluster', cluster) : undefined;
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
    { title: 'Rename', icon: <EditIcon size={15} />, run: onRename },
    {
      title: 'Edit the description…',
      icon: <EditIcon size={15} />,
      run: () => openDialog({ kind: 'describe-cluster', cluster }),
    },
    {
      title: 'Move to a group…',
      icon: <FolderIcon size={15} />,
      run: () => openDialog({ kind: 'move-cluster', cluster, group }),
    },
    ...access(),
    {
      title: isManual(cluster) ? 'Delete…' : 'Dismiss…',
      icon: isManual(cluster) ? <DeleteIcon size={15} /> : <HideIcon size={15} />,
      isDangerous: true,
      run: () => openDialog({ kind: 'delete-cluster', cluster }),
    },
  ];
}

function Title({ cluster, renaming, onDone }: { cluster: Cluster; renaming: boolean; onDone: () => void }) {
  const { mutations } = useClusterContext();
  if (renaming)
    return (
      <RenameField
        label={`Name of ${cluster.name}`}
        name={cluster.name}
        isBusy={mutations.isBusy}
        onSave={(name) => mutations.changeCluster(cluster, { name })}
        onDone={onDone}
      />
    );
  return (
    <span className={classes.words}>
      <Link className={classes.cluster} to={clusterPath(cluster)} draggable={false}>
        <Name oneLine>{cluster.name}</Name>
      </Link>
      {cluster.description ? <span className={classes.description}>{cluster.description}</span> : null}
    </span>
  );
}

export function ClusterBlock({ cluster, group, startsOpen }: RowContext & { startsOpen: boolean }) {
  const { mayManage, mutations, stateOf } = useClusterContext();
  const [open, setOpen] = useState(startsOpen);
  const [renaming, setRenaming] = useState(false);
  const actions = useActions({ cluster, group }, () => setRenaming(true));
  const source = useDragSource({ kind: 'cluster', cluster, group });
  const target = useDropTarget(
    (dragged) => dragged.kind === 'server' && dragged.cluster.id !== cluster.id,
    (dragged) => dragged.kind === 'server' && void mutations.moveServer(dragged.server, cluster),
  );
  const servers = serversOf(cluster);
  const state = worstState(servers.map(stateOf));
  return (
    <li className={classes.block} {...target}>
      <div className={classes.head} {...(renaming ? {} : source)}>
        {mayManage ? <GripIcon className={classes.grip} size={14} aria-hidden="true" /> : null}
        <ActionIcon
          variant="subtle"
          size={24}
          className={classes.fold ?? ''}
          aria-label={`Servers of ${cluster.name}`}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <ForwardIcon size={14} />
        </ActionIcon>
        <Status mark={state.mark} label={state.label} iconOnly size={15} />
        <Title cluster={cluster} renaming={renaming} onDone={() => setRenaming(false)} />
        <span className={classes.facts}>
          {isManual(cluster) ? null : (
            <span className={classes.role}>{TYPE_WORDS[cluster.cluster_type]}</span>
          )}
          <OriginMark cluster={cluster} />
          <span className={classes.count}>{countOf(servers.length, 'server')}</span>
        </span>
        {actions ? <RowMenu id={cluster.id} name={cluster.name} actions={actions} /> : null}
      </div>
      {open && cluster.servers.length > 0 ? (
        <ul className={classes.list} aria-label={`Servers of ${cluster.name}`}>
          {cluster.servers.map((server) => (
            <ServerRow key={server.id} server={server} cluster={cluster} group={group} />
          ))}
        </ul>
      ) : null}
      {servers.length === 0 ? (
        <p className={classes.empty}>
          No server is in it.{mayManage ? ' Drag one here, or choose “Move to a cluster” in its menu.' : ''}
        </p>
      ) : null}
    </li>
  );
}
