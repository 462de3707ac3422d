// Random changes of who is in a group and what a group may: members, connections, scopes and permissions.
import type { World } from './access-model.ts';
import { moveInModel } from './access-model.ts';
import { DELEGATED, levelName, type Make, number, type Play, path, pick } from './access-play.ts';

export const addMember: Make = (play) => {
  const group = pick(play, play.groups);
  if (play.draw(2) === 0) {
    const { user_id } = pick(play, play.callers);
    return {
      line: `POST ${path(group, 'members')}`,
      body: { user_id },
      apply: ({ groups }) => groups.get(group)?.users.add(user_id),
    };
  }
  const group_id = pick(play, play.groups);
  return {
    line: `POST ${path(group, 'members')}`,
    body: { group_id },
    apply: ({ groups }) => groups.get(group)?.groups.add(group_id),
  };
};

export const removeMember: Make = (play) => {
  const group = pick(play, play.groups);
  const held = play.scene.world.groups.get(group);
  const members = [
    ...[...(held?.users ?? [])].map((id) => ({ kind: 'user' as const, id })),
    ...[...(held?.groups ?? [])].map((id) => ({ kind: 'group' as const, id })),
  ];
  if (members.length === 0) return undefined;
  const { kind, id } = pick(play, members);
  return {
    line: `DELETE ${path(group, `members/${kind}/${id}`)}`,
    apply: ({ groups }) => groups.get(group)?.[kind === 'user' ? 'users' : 'groups'].delete(id),
  };
};

export const grantConnection: Make = (play) => {
  const [group, connection_id, access_level] = [
    pick(play, play.groups),
    pick(play, [0, ...play.connections]),
    levelName(play),
  ];
  return {
    line: `POST ${path(group, 'privileges/connections')}`,
    body: { connection_id, access_level },
    apply: ({ groups }) => groups.get(group)?.connections.set(connection_id, number(access_level)),
  };
};

export const setConnections: Make = (play) => {
  const group = pick(play, play.groups);
  const connections = play.connections
    .filter(() => play.draw(2) === 0)
    .map((connection_id) => ({ connection_id, access_level: levelName(play) }));
  return {
    line: `PUT ${path(group, 'privileges/connections')}`,
    body: { connections },
    apply({ groups }) {
      const held = groups.get(group)?.connections;
      held?.clear();
      for (const { connection_id, access_level } of connections)
        held?.set(connection_id, number(access_level));
    },
  };
};

export const revokeConnection: Make = (play) => {
  const [group, id] = [pick(play, play.groups), pick(play, [0, ...play.connections])];
  return {
    line: `DELETE ${path(group, `privileges/connections/${id}`)}`,
    apply: ({ groups }) => groups.get(group)?.connections.delete(id),
  };
};

export type ScopeChoice = ['cluster' | 'group', number];
const pickScope = (play: Play): ScopeChoice =>
  play.draw(2) === 0 ? ['cluster', pick(play, play.clusters)] : ['group', pick(play, play.cluster_groups)];

const heldOn = ({ groups }: World, group: number, scope: ScopeChoice[0]) =>
  groups.get(group)?.[scope === 'cluster' ? 'clusters' : 'cluster_groups'];

export const grantScope: Make = (play) => {
  const [group, [scope, scope_id], access_level] = [
    pick(play, play.groups),
    pickScope(play),
    levelName(play),
  ];
  return {
    line: `POST ${path(group, 'privileges/scopes')}`,
    body: { scope, scope_id, access_level },
    apply: (world) => heldOn(world, group, scope)?.set(scope_id, number(access_level)),
  };
};

export const revokeScope: Make = (play) => {
  const [group, [scope, scope_id]] = [pick(play, play.groups), pickScope(play)];
  return {
    line: `DELETE ${path(group, `privileges/scopes/${scope}/${scope_id}`)}`,
    apply: (world) => heldOn(world, group, scope)?.delete(scope_id),
  };
};

export const moveServer: Make = (play) => {
  const [id, cluster_id] = [pick(play, play.connections), pick(play, play.clusters)];
  return {
    line: `PUT /api/v1/connections/${id}/cluster`,
    body: { cluster_id, membership_source: 'manual', role: '' },
    apply: (world) => moveInModel(world, id, cluster_id),
  };
};

export const moveCluster: Make = (play) => {
  const [id, group_id] = [pick(play, play.clusters), pick(play, play.cluster_groups)];
  return {
    line: `PUT /api/v1/clusters/${id}`,
    body: { group_id },
    apply({ cluster_groups }) {
      for (const [key, group] of cluster_groups) {
        group.clusters = group.clusters.filter((cluster) => cluster !== id);
        if (key === group_id) group.clusters.push(id);
      }
    },
  };
};

export const grantPermission: Make = (play) => {
  const [group, permission] = [pick(play, play.groups), pick(play, ['*', ...DELEGATED])];
  return {
    line: `POST ${path(group, 'permissions')}`,
    body: { permission },
    apply: ({ groups }) => groups.get(group)?.permissions.add(permission),
  };
};

export const revokePermission: Make = (play) => {
  const [group, permission] = [pick(play, play.groups), pick(play, ['*', ...DELEGATED])];
  return {
    line: `DELETE ${path(group, `permissions/${encodeURIComponent(permission)}`)}`,
    apply: ({ groups }) => groups.get(group)?.permissions.delete(permission),
  };
};
