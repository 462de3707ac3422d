// A server in its cluster, with those that stream from it below.
import { Link } from 'react-router';
import {
  ClusterIcon,
  DetectedIcon,
  FolderIcon,
  GripIcon,
  HideIcon,
  MoveIcon,
  PinIcon,
} from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { Status } from '../../../ui/status.tsx';
import { useClusterContext } from './cluster-context.ts';
import classes from './clusters.module.css';
import { useDragSource } from './drag.ts';
import { MembershipMark } from './marks.tsx';
import { type Cluster, type Group, isLone, roleWords, type Server } from './model.ts';
import { type RowAction, RowMenu } from './row-menu.tsx';

interface RowContext {
  server: Server;
  cluster: Cluster;
  group: Group;
}

function useActions({ server, cluster, group }: RowContext): () => RowAction[] {
  const { openDialog, mutations } = useClusterContext();
  const lone = isLone(cluster);
  const pinned = server.membership_source === 'manual';
  return () => [
    {
      title: 'Move to a cluster…',
      icon: <MoveIcon size={15} />,
      run: () => openDialog({ kind: 'move-server', server, cluster }),
    },
    ...(lone
      ? [
          {
            title: 'Move to a group…',
            icon: <FolderIcon size={15} />,
            run: () => openDialog({ kind: 'move-cluster', cluster, group }),
          },
        ]
      : [
          {
            title: 'Take out of the cluster',
            icon: <ClusterIcon size={15} />,
            run: () => void mutations.moveServer(server, null),
          },
        ]),
    pinned
      ? {
          title: 'Give back to detection',
          icon: <DetectedIcon size={15} />,
          run: () => void mutations.giveBack(server),
        }
      : {
          title: 'Pin here',
          icon: <PinIcon size={15} />,
          run: () => void mutations.moveServer(server, lone ? null : cluster),
        },
    ...(lone
      ? [
          {
            title: 'Hide from clusters…',
            icon: <HideIcon size={15} />,
            isDangerous: true,
            run: () => openDialog({ kind: 'delete-cluster', cluster }),
          },
        ]
      : []),
  ];
}

export function ServerRow({ server, cluster, group }: RowContext) {
  const { mayManage, stateOf } = useClusterContext();
  const source = useDragSource({ kind: 'server', server, cluster });
  const actions = useActions({ server, cluster, group });
  const state = stateOf(server);
  const role = roleWords(server.role);
  return (
    <li className={classes.branch}>
      <div className={classes.server} {...source}>
        {mayManage ? <GripIcon className={classes.grip} size={14} aria-hidden="true" /> : null}
        <Status mark={state.mark} label={state.label} iconOnly size={15} />
        <span className={classes.words}>
          <Link className={classes.link} to={`/servers/${server.id}`} draggable={false}>
            <Name oneLine>{server.name}</Name>
          </Link>
          <span className={classes.place}>{`${server.host}:${server.port}`}</span>
        </span>
        <span className={classes.facts}>
          {role === null ? null : <span className={classes.role}>{role}</span>}
          <MembershipMark server={server} />
        </span>
        {mayManage ? <RowMenu id={`server ${server.id}`} name={server.name} actions={actions} /> : null}
      </div>
      {server.children && server.children.length > 0 ? (
        <ul className={classes.below} aria-label={`Streaming from ${server.name}`}>
          {server.children.map((one) => (
            <ServerRow key={one.id} server={one} cluster={cluster} group={group} />
          ))}
        </ul>
      ) : null}
    </li>
  );
}
