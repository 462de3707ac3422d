// Who has access to a cluster or a server group, and giving it: to a user or to a group of users, for each server that is
// there and each that comes. Two clicks make a user a reader: the button of the page, and the one beside the name.
import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import forms from '../../../ui/form.module.css';
import { FormError } from '../../../ui/form-error.tsx';
import { AccessIcon, CloseIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Query } from '../../../ui/query.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { isLevel, LEVEL_WORDS, type Level } from '../auth/rights.ts';
import { mayUse, useUser } from '../auth/use-user.ts';
import items from './item-list.module.css';
import { type Candidate, Picker } from './picker.tsx';
import classes from './rbac.module.css';

/** What access is given on. */
export interface AccessScope {
  scope: 'cluster' | 'group';
  scope_id: number;
  name: string;
}

type ScopeAccess = OperationTypes['getScopeAccess']['result'];
type Grant = ScopeAccess['grants'][number];

const LEVELS = Object.entries(LEVEL_WORDS).map(([value, label]) => ({ value, label }));

/** The ways to change it; the newest refusal is shown. */
function useChanges({ scope, scope_id }: AccessScope) {
  const setUser = useOperationMutation('setUserScope');
  const removeUser = useOperationMutation('removeUserScope');
  const grant = useOperationMutation('grantGroupScope');
  const revoke = useOperationMutation('revokeGroupScope');
  const all = [setUser, removeUser, grant, revoke];
  const start = () => {
    for (const one of all) one.reset();
  };
  return {
    error: all.map(({ error }) => error).find((error) => error !== null) ?? null,
    isPending: all.some(({ isPending }) => isPending),
    giveUser(id: number, access_level: Level) {
      start();
      setUser.mutate({ params: { id, scope, scopeId: scope_id }, body: { access_level } });
    },
    takeUser(id: number) {
      start();
      removeUser.mutate({ params: { id, scope, scopeId: scope_id } });
    },
    giveGroup(id: number, access_level: Level) {
      start();
      grant.mutate({ params: { id }, body: { scope, scope_id, access_level } });
    },
    takeGroup(id: number) {
      start();
      revoke.mutate({ params: { id, scope, scopeId: scope_id } });
    },
    admit({ group_id: id, access_level, ...given }: Grant) {
      start();
      const body = { scope: given.scope, scope_id: given.scope_id, access_level };
      grant.mutate({ params: { id }, body });
    },
  };
}
type Changes = ReturnType<typeof useChanges>;

function Remove({ name, onRemove }: { name: string; onRemove: () => void }) {
  return <RowButton verb="Remove" of={name} icon={CloseIcon} variant="subtle" onClick={onRemove} />;
}

interface RowsProps {
  grant: Grant;
  about: AccessScope;
  changes: Changes;
}

/** A user by name where the group has nothing else, so that it needs no look at the group. */
function Rows({ grant, about, changes }: RowsProps) {
  const isHere = grant.scope === about.scope && grant.scope_id === about.scope_id;
  const isByName = isHere && grant.is_own && grant.users.length === grant.user_count;
  if (isByName)
    return grant.users.map(({ id, username }) => (
      <li key={id} className={items.row}>
        <div className={items.what}>
          <Name>{username}</Name> <span className={layout.remark}>user</span>
        </div>
        {LEVEL_WORDS[grant.access_level]}
        <Remove name={username} onRemove={() => changes.takeUser(id)} />
      </li>
    ));
  return (
    <li className={items.row}>
      <div className={items.what}>
        <Link className="link" to={`/admin/groups/${grant.group_id}`}>
          <Name>{grant.group_name}</Name>
        </Link>{' '}
        <span className={layout.remark}>
          group, {countOf(grant.user_count, 'user')}
          {isHere ? '' : `, through the server group ${grant.scope_name}`}
        </span>
      </div>
      {LEVEL_WORDS[grant.access_level]}
      {isHere ? <Remove name={grant.group_name} onRemove={() => changes.takeGroup(grant.group_id)} /> : null}
    </li>
  );
}

function Waiting({ access, changes }: { access: ScopeAccess; changes: Changes }) {
  const [first] = access.grants;
  if (access.waiting.length === 0 || !first) return null;
  const names = access.waiting.map(({ name }) => name).join(', ');
  return (
    <Notice
      tone="warn"
      action={
        <Button
          size="compact-sm"
          variant="default"
          disabled={changes.isPending}
          onClick={() => changes.admit(first)}
        >
          Include
        </Button>
      }
    >
      Not included yet: <Name>{names}</Name>. Detected as part of the cluster, but its system identifier does
      not prove it.
    </Notice>
  );
}

interface ContentProps {
  about: AccessScope;
  access: ScopeAccess;
}

/** Who could get this level; not who was given it here already. */
function useCandidates({ access, about, level }: ContentProps & { level: Level }): Candidate[] {
  const me = useUser().data;
  const mayName = mayUse(me, 'manage_users') && mayUse(me, 'manage_groups');
  const users = useOperation('listUsers', {}, { enabled: mayName }).data?.users ?? [];
  const groups = useOperation('listGroups', {}).data?.groups ?? [];
  const own = new Set(access.grants.flatMap(({ is_own, group_id }) => (is_own ? [group_id] : [])));
  const same = access.grants.filter((grant) => grant.scope === about.scope && grant.access_level === level);
  const has = {
    user: new Set(same.flatMap(({ is_own, users: named }) => (is_own ? named.map(({ id }) => id) : []))),
    group: new Set(same.map(({ group_id }) => group_id)),
  };
  return [
    ...users
      .filter(({ id, is_superuser }) => !is_superuser && !has.user.has(id))
      .map(({ id, username, is_service_account }) => ({
        key: `user:${id}`,
        name: username,
        kind: is_service_account ? 'service account' : 'user',
      })),
    ...groups
      .filter(({ id }) => !own.has(id) && !has.group.has(id))
      .map(({ id, name }) => ({ key: `group:${id}`, name, kind: 'group' })),
  ];
}

function Content({ about, access }: ContentProps) {
  const changes = useChanges(about);
  const [level, setLevel] = useState<Level>('read');
  const candidates = useCandidates({ access, about, level });
  const pick = (key: string) => {
    const [kind, id] = key.split(':');
    if (kind === 'user') changes.giveUser(Number(id), level);
    else changes.giveGroup(Number(id), level);
  };
  return (
    <div className={layout.close}>
      <p className={classes.remark}>
        Access covers every server of this {about.scope === 'cluster' ? 'cluster' : 'server group'}, including
        those added later. It ends for a server that leaves.
      </p>
      {access.grants.some(({ is_own, user_count }) => !is_own || user_count > 0) ? (
        <ul className={items.list} aria-label="Who has access">
          {access.grants.map((grant) => (
            <Rows key={`${grant.group_id} ${grant.scope}`} grant={grant} about={about} changes={changes} />
          ))}
        </ul>
      ) : (
        <p className={items.empty}>
          No access is granted here yet. Superusers and the owners of its servers always have it.
        </p>
      )}
      <Waiting access={access} changes={changes} />
      <FormError error={changes.error} />
      <Picker
        label="Find a user or group"
        candidates={candidates}
        verb="Add"
        empty="Every user and group has this access."
        isPending={changes.isPending}
        onPick={pick}
      >
        <SegmentedControl
          size="xs"
          aria-label="Access level"
          data={LEVELS}
          value={level}
          onChange={(value) => isLevel(value) && setLevel(value)}
        />
      </Picker>
    </div>
  );
}

function Read({ about }: { about: AccessScope }) {
  const { scope, scope_id } = about;
  const query = useOperation('getScopeAccess', { params: { scope, scopeId: scope_id } });
  return (
    <Query query={query} what="who has access">
      {(access) => <Content about={about} access={access} />}
    </Query>
  );
}

export interface ScopeAccessDialogProps {
  about: AccessScope | undefined;
  onClose: () => void;
  onClosed?: () => void;
}

export function ScopeAccessDialog({ about, onClose, onClosed }: ScopeAccessDialogProps) {
  return (
    <Dialog
      title={about ? `Access to ${about.name}` : ''}
      opened={about !== undefined}
      onClose={onClose}
      {...(onClosed ? { onClosed } : {})}
      size="lg"
    >
      {about ? (
        <div className={layout.stack}>
          <Read about={about} />
          <div className={forms.actions}>
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
          </div>
        </div>
      ) : null}
    </Dialog>
  );
}

/** For who may give access. */
export function ScopeAccessButton({ about }: { about: AccessScope | undefined }) {
  const [opened, setOpened] = useState(false);
  const mayGive = mayUse(useUser().data, 'manage_permissions');
  if (!about || !mayGive) return null;
  return (
    <>
      <Button variant="default" leftSection={<AccessIcon size={16} />} onClick={() => setOpened(true)}>
        Access
      </Button>
      <ScopeAccessDialog about={opened ? about : undefined} onClose={() => setOpened(false)} />
    </>
  );
}
