// What members of a group have through it in the end: what is set here, and what comes from groups above it, by name.
import { useQueries } from '@tanstack/react-query';
import { type ApiError, call } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { LEVEL_WORDS, type Level } from '../auth/rights.ts';
import { chainsFrom } from './chains.ts';
import { higherLevel, type Origin, originsIn } from './effective-access.ts';
import { OriginList } from './origin-list.tsx';
import classes from './rbac.module.css';
import rights from './rights-table.module.css';
import type { GroupDetail } from './types.ts';
import { useConnectionNames } from './use-connection-names.ts';

/** The details of some groups, with the grants that they hold. */
export function useGroupDetails(ids: readonly number[]): {
  details: readonly GroupDetail[];
  error: ApiError | null;
} {
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['getGroup', { params: { id } }],
      queryFn: ({ signal }: { signal: AbortSignal }) => call('getGroup', { params: { id } }, signal),
    })),
    combine: (results) => ({
      details: results.flatMap(({ data }) => data ?? []),
      error: results.map(({ error }) => error).find((error): error is ApiError => error !== null) ?? null,
    }),
  });
}

interface RightProps {
  title: string;
  level?: Level | undefined;
  origins: readonly Origin[];
}

function Right({ title, level, origins }: RightProps) {
  return (
    <tr>
      <th scope="row" className={rights.what}>
        <bdi>{title}</bdi>
      </th>
      <td className={rights.level}>{level ? LEVEL_WORDS[level] : 'Granted'}</td>
      <td className={rights.from}>
        <OriginList origins={origins} here="Set here" />
      </td>
    </tr>
  );
}

function useOrigins(group: GroupDetail) {
  const groups = useOperation('listGroups', {}).data?.groups ?? [];
  const own = groups.find(({ id }) => id === group.id);
  const chains = chainsFrom(own?.member_of ?? [], groups);
  const above = groups.filter(({ name }) => chains.has(name));
  const { details } = useGroupDetails(above.map(({ id }) => id));
  return originsIn(
    [...details, group].map((one) => ({ ...one, chain: one.id === group.id ? [] : chains.get(one.name) })),
  );
}

export function GroupEffective({ group }: { group: GroupDetail }) {
  const { nameOf } = useConnectionNames();
  const effective = useOperation('getGroupEffectivePrivileges', { params: { id: group.id } });
  const origins = useOrigins(group);
  const held = effective.data;
  if (!held)
    return (
      <Panel title="In effect">
        <Query query={effective} what="what is in effect" />
      </Panel>
    );
  const { connection_privileges, mcp_privileges, admin_permissions } = held;
  const nothing = connection_privileges.length + mcp_privileges.length + admin_permissions.length === 0;
  return (
    <Panel title="In effect" note="with what is inherited from groups above" flush={!nothing}>
      {nothing ? (
        <p className={classes.remark}>Nothing is granted here or above, so members gain nothing by it.</p>
      ) : (
        <table className={rights.table}>
          <caption className="visually-hidden">What members have through this group</caption>
          <thead>
            <tr>
              <th scope="col">Right</th>
              <th scope="col">Level</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {connection_privileges.map(({ connection_id, access_level }) => (
              <Right
                key={`server ${connection_id}`}
                title={nameOf(connection_id)}
                level={access_level}
                origins={origins
                  .connection(connection_id)
                  .filter(({ level }) => level && higherLevel(level, access_level) === level)}
              />
            ))}
            {mcp_privileges.map((name) => (
              <Right
                key={`mcp ${name}`}
                title={name === '*' ? 'Every MCP tool' : `MCP: ${name}`}
                origins={origins.mcp(name)}
              />
            ))}
            {admin_permissions.map((name) => (
              <Right
                key={`admin ${name}`}
                title={name === '*' ? 'Every admin permission' : name}
                origins={origins.admin(name)}
              />
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
