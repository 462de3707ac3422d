// What a group is granted. Whoever may not change a kind of grant sees it all the same, and what it would take.
import { useOperation, useOperationMutation } from '../../api/use-operation.ts';
import { FormError } from '../../ui/form-error.tsx';
import { Panel } from '../../ui/panel.tsx';
import { asPermissions, PERMISSION_NAMES, permissionWords } from '../auth/rights.ts';
import { mayUse, useUser } from '../auth/use-user.ts';
import { Checklist, EVERYTHING } from './checklist.tsx';
import { ConnectionGrants } from './connection-grants.tsx';
import classes from './rbac.module.css';
import type { GroupDetail } from './types.ts';

export function GroupConnections({ group }: { group: GroupDetail }) {
  const mayChange = mayUse(useUser().data, 'manage_permissions');
  const grant = useOperationMutation('grantGroupConnection');
  const revoke = useOperationMutation('revokeGroupConnection');
  const params = { id: group.id };
  return (
    <Panel title="Servers" note="what members may see, and whether they may change it">
      <div className={classes.inside}>
        <FormError error={grant.error ?? revoke.error} />
        <ConnectionGrants
          grants={group.connection_privileges}
          empty="No server is granted to this group."
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
