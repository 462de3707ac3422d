// What a group is granted. Whoever may not change a kind of grant sees it all the same, and what it would take.
import { Link } from 'react-router';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { CloseIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { asPermissions, LEVEL_WORDS, PERMISSION_NAMES, permissionWords } from '../auth/rights.ts';
import { mayUse, useUser } from '../auth/use-user.ts';
import { Checklist, EVERYTHING } from './checklist.tsx';
import { ConnectionGrants } from './connection-grants.tsx';
import items from './item-list.module.css';
import classes from './rbac.module.css';
import type { GroupDetail } from './types.ts';

export function GroupConnections({ group }: { group: GroupDetail }) {
  const mayChange = mayUse(useUser().data, 'manage_permissions');
  const grant = useOperationMutation('grantGroupConnection');
  const revoke = useOperationMutation('revokeGroupConnection');
  const params = { id: group.id };
  return (
    <Panel title="Servers" note="what members may see, and whether they may change it">
      <div className={layout.close}>
        <FormError error={grant.error ?? revoke.error} />
        <GroupScopes group={group} mayChange={mayChange} />
        <ConnectionGrants
          grants={group.connection_privileges}
          empty={
            group.scope_privileges.length === 0
              ? 'No server is granted to this group.'
              : 'No server is granted by itself.'
          }
          verb="Grant"
          readOnly={!mayChange}
          isPending={grant.isPending}
          onSet={(body) => {
            revoke.reset();
            grant.mutate({ params, body });
          }}
          onRemove={(connId) => {
            grant.reset();
            revoke.mutate({ params: { ...params, connId } });
          }}
        />
        {mayChange ? null : (
          <p className={classes.remark}>Changing these takes the permission manage_permissions.</p>
        )}
      </div>
    </Panel>
  );
}

/** What is granted on clusters is given on their pages; here it is seen and taken back. */
function GroupScopes({ group, mayChange }: { group: GroupDetail; mayChange: boolean }) {
  const revoke = useOperationMutation('revokeGroupScope');
  if (group.scope_privileges.length === 0) return null;
  return (
    <>
      <FormError error={revoke.error} />
      <ul className={items.list} aria-label="Clusters and server groups">
        {group.scope_privileges.map(({ scope, scope_id, name, access_level, connection_ids }) => (
          <li key={`${scope} ${scope_id}`} className={items.row}>
            <div className={items.what}>
              {scope === 'cluster' ? (
                <Link className="link" to={`/clusters/cluster-${scope_id}`}>
                  <Name>{name}</Name>
                </Link>
              ) : (
                <Name>{name}</Name>
              )}{' '}
              <span className={layout.remark}>
                {scope === 'cluster' ? 'cluster' : 'server group'}, {countOf(connection_ids.length, 'server')}
                , those to come too
              </span>
            </div>
            {LEVEL_WORDS[access_level]}
            {mayChange ? (
              <RowButton
                verb="Remove"
                of={name}
                icon={CloseIcon}
                variant="subtle"
                onClick={() => revoke.mutate({ params: { id: group.id, scope, scopeId: scope_id } })}
              />
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );
}

export function GroupMcp({ group }: { group: GroupDetail }) {
  const mayChange = mayUse(useUser().data, 'manage_permissions');
  const all = useOperation('listMcpPrivileges', {}, { enabled: mayChange }).data ?? group.mcp_privileges;
  const set = useOperationMutation('setGroupMcpPrivileges');
  const items = all
    .filter(({ identifier }) => identifier !== EVERYTHING)
    .map(({ identifier, description, is_public }) => ({
      name: identifier,
      description: `${description ?? ''}${is_public ? ' (open to all users, needs no grant)' : ''}`,
    }));
  return (
    <Panel title="MCP tools" note="for assistants and other programs">
      <Checklist
        key={group.mcp_privileges.map(({ identifier }) => identifier).join(' ')}
        label="MCP tools"
        items={items}
        everything="Every tool and resource, those to come too"
        saved={group.mcp_privileges.map(({ identifier }) => identifier)}
        readOnly={!mayChange}
        error={set.error}
        isPending={set.isPending}
        onSave={(privileges) =>
          set.mutate({ params: { id: group.id }, body: { privileges: [...privileges] } })
        }
      />
    </Panel>
  );
}

export function GroupPermissions({ group }: { group: GroupDetail }) {
  const mayChange = useUser().data?.is_superuser === true;
  const set = useOperationMutation('setGroupPermissions');
  return (
    <Panel
      title="Admin permissions"
      note={mayChange ? 'what members may administer' : 'set by superusers only'}
    >
      <Checklist
        key={group.admin_permissions.join(' ')}
        label="Admin permissions"
        items={PERMISSION_NAMES.map((name) => ({ name, description: permissionWords(name) }))}
        everything={permissionWords(EVERYTHING)}
        saved={group.admin_permissions}
        readOnly={!mayChange}
        error={set.error}
        isPending={set.isPending}
        onSave={(names) =>
          set.mutate({ params: { id: group.id }, body: { permissions: asPermissions(names) } })
        }
      />
    </Panel>
  );
}
