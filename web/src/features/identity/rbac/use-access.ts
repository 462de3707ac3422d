// Reads what it takes to say what a user or token may do and from where: the server's answer, and the groups above as
// far as the reader may look at them.
import type { ApiError } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { mayUse, useUser } from '../auth/use-user.ts';
import { chainsFrom } from './chains.ts';
import { type Access, accessOf, type GrantedBy } from './effective-access.ts';
import { useGroupDetails } from './group-effective.tsx';
import type { Privileges, Scope } from './types.ts';

export interface Subject {
  user_id: number;
  /** Of the token that is looked at. */
  scope?: Scope | undefined;
}

export interface ReadAccess {
  access: Access | undefined;
  privileges: Privileges | undefined;
  error: ApiError | null;
  retry: () => void;
}

/** The groups above a user with what they grant; undefined where the reader may not look at them. */
function useGroupsAbove(userId: number, mayLook: boolean): readonly GrantedBy[] | undefined {
  const users = useOperation('listUsers', {}, { enabled: mayLook }).data?.users ?? [];
  const groups = useOperation('listGroups', {}, { enabled: mayLook }).data?.groups ?? [];
  const direct = users.find(({ id }) => id === userId)?.groups ?? [];
  const chains = chainsFrom(direct, groups);
  const above = groups.filter(({ name }) => chains.has(name));
  const { details } = useGroupDetails(above.map(({ id }) => id));
  return mayLook ? details.map((group) => ({ ...group, chain: chains.get(group.name) })) : undefined;
}

export function useAccess({ user_id, scope }: Subject): ReadAccess {
  const me = useUser().data;
  const read = useOperation('getUserPrivileges', { params: { id: user_id } });
  const connections = useOperation('listConnections', {});
  const mayList = mayUse(me, 'manage_permissions', 'manage_token_scopes');
  const all = useOperation('listMcpPrivileges', {}, { enabled: mayList });
  const mayLook = mayUse(me, 'manage_users') && mayUse(me, 'manage_groups', 'manage_permissions');
  const groups = useGroupsAbove(user_id, mayLook);
  const privileges = read.data;
  const listed = mayList
    ? all.data
    : privileges?.mcp_privileges.map((identifier) => ({ identifier, is_public: false }));
  const access =
    privileges && connections.data && listed
      ? accessOf({ privileges, connections: connections.data, groups, mcp: listed, scope })
      : undefined;
  const error = read.error ?? connections.error ?? all.error;
  return {
    access,
    privileges,
    error,
    retry: () => void Promise.all([read.refetch(), connections.refetch()]),
  };
}
