// The API tokens of programs: whose rights they carry, how far their scope cuts those, when they end.
import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { AddIcon, TokenIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { SearchedTable } from '../../../ui/searched-table.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../auth/use-user.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { Expiry } from './expiry.tsx';
import classes from './rbac.module.css';
import { scopeSummary } from './scope-values.ts';
import { NewTokenDialog, ScopeDialog } from './token-dialogs.tsx';
import type { Token } from './types.ts';

function kindOf(token: Token): string {
  return [token.is_service_account ? 'service account' : '', token.is_superuser ? 'superuser' : '']
    .filter(Boolean)
    .join(', ');
}

const COLUMNS: readonly Column<Token>[] = [
  {
    key: 'name',
    title: 'Token',
    width: 'half',
    value: (row) => row.name,
    render: (row) => (
      <div className={layout.cell}>
        <span className={classes.name}>{row.name ? <Name>{row.name}</Name> : 'Without a name'}</span>
        <div className={classes.under} title="The first digits of its SHA-256, never part of the token">
          <code>{row.token_prefix}</code>
        </div>
        <div className={`${classes.under} ${layout.narrow}`}>
          <Name>{row.username}</Name> · {scopeSummary(row.scope)} ·{' '}
          {row.expires_at ? <Expiry at={row.expires_at} /> : 'never expires'}
        </div>
      </div>
    ),
  },
  {
    key: 'owner',
    title: 'Owner',
    needs: 'medium',
    value: (row) => row.username,
    render: (row) => (
      <div className={layout.cell}>
        <Name>{row.username}</Name>
        {kindOf(row) === '' ? null : <div className={classes.under}>{kindOf(row)}</div>}
      </div>
    ),
  },
  {
    key: 'scope',
    title: 'Scope',
    needs: 'medium',
    width: 'middle',
    value: (row) => scopeSummary(row.scope),
    render: (row) => scopeSummary(row.scope),
  },
  {
    key: 'expires',
    title: 'Expires',
    needs: 'medium',
    value: (row) => (row.expires_at ? Date.parse(row.expires_at) : null),
    render: (row) =>
      row.expires_at ? <Expiry at={row.expires_at} /> : <span className={classes.remark}>never</span>,
  },
  {
    key: 'used',
    title: 'Last used',
    needs: 'wide',
    descendingFirst: true,
    value: (row) => (row.last_used_at ? Date.parse(row.last_used_at) : null),
    render: (row) =>
      row.last_used_at ? (
        <RelativeTime at={row.last_used_at} />
      ) : (
        <span className={classes.remark}>never</span>
      ),
  },
];

type Open = { kind: 'add' } | { kind: 'scope' | 'revoke'; token: Token };

function actionColumn(mayLook: boolean, open: (dialog: Open) => void): Column<Token> {
  return {
    key: 'actions',
    title: 'Actions',
    align: 'end',
    width: 'actions',
    render: (row) => (
      <span className={classes.buttons}>
        {mayLook ? (
          <Button
            component={Link}
            to={`/admin/access?token=${row.id}`}
            size="compact-sm"
            variant="subtle"
            aria-label={`Access of ${row.name}`}
          >
            Access
          </Button>
        ) : null}
        <RowButton verb="Scope" of={`of ${row.name}`} onClick={() => open({ kind: 'scope', token: row })} />
        <RowButton verb="Revoke" of={row.name} onClick={() => open({ kind: 'revoke', token: row })} />
      </span>
    ),
  };
}

function Revoke({ token, onClose }: { token: Token | undefined; onClose: () => void }) {
  return (
    <DeleteDialog
      operation="deleteToken"
      id={token?.id}
      title={`Revoke ${token?.name || 'the token'}?`}
      facts={[
        'Programs that use it are refused from the next request on.',
        'It cannot be brought back; make a new one instead.',
      ]}
      verb="Revoke the token"
      onClose={onClose}
    />
  );
}

export function TokensPage() {
  const me = useUser().data;
  const tokens = useOperation('listTokens', {});
  const [dialog, setDialog] = useState<Open>();
  const close = () => setDialog(undefined);
  const addBy = (look: Pick<ButtonProps, 'size' | 'variant'> = {}) => (
    <Button leftSection={<AddIcon size={16} />} {...look} onClick={() => setDialog({ kind: 'add' })}>
      Create a token
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Tokens"
        facts={tokens.data ? countOf(tokens.data.tokens.length, 'API token') : '\u00a0'}
        actions={mayUse(me, 'manage_token_scopes') ? addBy() : undefined}
      />
      <SearchedTable
        one="token"
        many="tokens"
        query={tokens}
        rows={tokens.data?.tokens}
        columns={[...COLUMNS, actionColumn(mayUse(me, 'manage_users'), setDialog)]}
        rowKey={(row) => String(row.id)}
        words={(row) => `${row.name} ${row.username} ${row.token_prefix} ${scopeSummary(row.scope)}`}
        first="name"
        tie={(row) => row.id}
        empty={
          <EmptyState
            icon={<TokenIcon size={26} />}
            title="No token yet"
            action={addBy({ size: 'xs', variant: 'default' })}
          >
            Programs and assistants use tokens. One can be limited to some servers, tools and permissions.
          </EmptyState>
        }
      />
      <NewTokenDialog opened={dialog?.kind === 'add'} onClose={close} />
      <ScopeDialog token={dialog?.kind === 'scope' ? dialog.token : undefined} onClose={close} />
      <Revoke token={dialog?.kind === 'revoke' ? dialog.token : undefined} onClose={close} />
    </>
  );
}
