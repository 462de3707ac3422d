// Everybody who can sign in, and the accounts of programs.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { AddIcon, EditIcon, UserIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { SearchedTable } from '../../../ui/searched-table.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { mayUse, useUser } from '../auth/use-user.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import classes from './rbac.module.css';
import type { User } from './types.ts';
import { UserDialog } from './user-dialog.tsx';

const kindOf = (user: User) => (user.is_service_account ? 'Service account' : 'Person');

function UserName({ user }: { user: User }) {
  const under = [user.display_name, user.email].filter((text) => text !== '').join(' · ');
  return (
    <div className={layout.cell}>
      <span className={classes.name}>
        <Name>{user.username}</Name>
      </span>
      <div className={`${classes.under} ${layout.narrow}`}>
        {[kindOf(user), user.enabled ? '' : 'disabled', user.is_superuser ? 'superuser' : '']
          .filter(Boolean)
          .join(', ')}
      </div>
      {under === '' ? null : (
        <div className={classes.under}>
          <Name oneLine>{under}</Name>
        </div>
      )}
      {user.annotation ? (
        <div className={classes.under}>
          <Name oneLine>{user.annotation}</Name>
        </div>
      ) : null}
    </div>
  );
}

const COLUMNS: readonly Column<User>[] = [
  {
    key: 'user',
    title: 'User',
    width: 'half',
    value: (row) => row.username,
    render: (row) => <UserName user={row} />,
  },
  {
    key: 'kind',
    title: 'Kind',
    needs: 'medium',
    value: kindOf,
    render: (row) => <span className={classes.whole}>{kindOf(row)}</span>,
  },
  {
    key: 'state',
    title: 'State',
    needs: 'medium',
    value: (row) => (row.enabled ? 1 : 0),
    render: (row) => (
      <Status mark={row.enabled ? 'ok' : 'paused'} label={row.enabled ? 'Enabled' : 'Disabled'} />
    ),
  },
  {
    key: 'superuser',
    title: 'Superuser',
    needs: 'medium',
    descendingFirst: true,
    value: (row) => (row.is_superuser ? 1 : 0),
    render: (row) => (row.is_superuser ? 'Superuser' : <span className={classes.remark}>no</span>),
  },
  {
    key: 'groups',
    title: 'Groups',
    hint: 'Direct memberships; the effective access shows what comes through them',
    needs: 'wide',
    width: 'half',
    value: (row) => (row.groups.length === 0 ? null : row.groups.join(', ')),
    render: (row) =>
      row.groups.length === 0 ? (
        <span className={classes.remark}>none</span>
      ) : (
        <Name>{row.groups.join(', ')}</Name>
      ),
  },
];

function actionColumn(onEdit: (user: User) => void): Column<User> {
  return {
    key: 'actions',
    title: 'Actions',
    align: 'end',
    width: 'actions',
    render: (row) => (
      <span className={classes.buttons}>
        <Button
          component={Link}
          to={`/admin/access?user=${row.id}`}
          size="compact-sm"
          variant="subtle"
          aria-label={`Access of ${row.username}`}
        >
          Access
        </Button>
        <RowButton verb="Change" of={row.username} icon={EditIcon} onClick={() => onEdit(row)} />
      </span>
    ),
  };
}

function DeleteUser({ user, onClose }: { user: User | undefined; onClose: () => void }) {
  return (
    <DeleteDialog
      operation="deleteUser"
      id={user?.id}
      title={`Delete ${user?.username ?? ''}?`}
      facts={[
        'Sessions end and API tokens of this account stop at once.',
        'Memberships, conversations and own memories are deleted with it.',
        'Servers and server groups that it owned become yours.',
        'The audit log keeps what was done under this name. To keep the account but stop it, disable it instead.',
      ]}
      verb="Delete the user"
      onClose={onClose}
    />
  );
}

function RemoveSecondFactor({ user, onClose }: { user: User | undefined; onClose: () => void }) {
  return (
    <DeleteDialog
      operation="removeUserSecondFactor"
      id={user?.id}
      title={`Remove the second factor of ${user?.username ?? ''}?`}
      facts={[
        'The user signs in with the password alone, until a new second factor is set up.',
        'All sessions of the user end.',
      ]}
      verb="Remove the second factor"
      onClose={onClose}
    />
  );
}

function EndSessions({ user, onClose }: { user: User | undefined; onClose: () => void }) {
  return (
    <DeleteDialog
      operation="endUserSessions"
      id={user?.id}
      title={`End all sessions of ${user?.username ?? ''}?`}
      facts={[
        'The user has to sign in again, in every browser. One-time links end too.',
        'API tokens stay. To stop the account altogether, disable it.',
      ]}
      verb="End all sessions"
      onClose={onClose}
    />
  );
}

function summary(users: readonly User[]): string {
  const programs = users.filter((user) => user.is_service_account).length;
  const disabled = users.filter((user) => !user.enabled).length;
  return [
    countOf(users.length, 'user'),
    ...(programs > 0 ? [countOf(programs, 'service account')] : []),
    ...(disabled > 0 ? [`${disabled} disabled`] : []),
  ].join(' · ');
}

export function UsersPage() {
  const me = useUser().data;
  const users = useOperation('listUsers', {});
  const [dialog, setDialog] = useState<
    { kind: 'add' } | { kind: 'edit' | 'delete' | 'factor' | 'sessions'; user: User }
  >();
  const close = () => setDialog(undefined);
  const edited = dialog?.kind === 'edit' ? dialog.user : undefined;
  return (
    <>
      <PageHeader
        title="Users"
        facts={users.data ? summary(users.data.users) : '\u00a0'}
        actions={
          mayUse(me, 'manage_users') ? (
            <Button leftSection={<AddIcon size={16} />} onClick={() => setDialog({ kind: 'add' })}>
              Add a user
            </Button>
          ) : undefined
        }
      />
      <SearchedTable
        one="user"
        many="users"
        query={users}
        rows={users.data?.users}
        columns={[...COLUMNS, actionColumn((user) => setDialog({ kind: 'edit', user }))]}
        rowKey={(row) => String(row.id)}
        words={(row) => [row.username, row.display_name, row.email, row.annotation, ...row.groups].join(' ')}
        first="user"
        tie={(row) => row.username}
        empty={<EmptyState icon={<UserIcon size={26} />} title="No user yet" />}
      />
      <UserDialog opened={dialog?.kind === 'add'} onClose={close} />
      <UserDialog
        opened={edited !== undefined}
        user={edited}
        onClose={close}
        onDelete={() => edited && setDialog({ kind: 'delete', user: edited })}
        onRemoveSecondFactor={() => edited && setDialog({ kind: 'factor', user: edited })}
        onEndSessions={() => edited && setDialog({ kind: 'sessions', user: edited })}
      />
      <RemoveSecondFactor user={dialog?.kind === 'factor' ? dialog.user : undefined} onClose={close} />
      <EndSessions user={dialog?.kind === 'sessions' ? dialog.user : undefined} onClose={close} />
      <DeleteUser user={dialog?.kind === 'delete' ? dialog.user : undefined} onClose={close} />
    </>
  );
}
