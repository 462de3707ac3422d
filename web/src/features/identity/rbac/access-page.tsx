// Effective access: what one user or one token may do in the end, and why.
import { Button } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { NoPermissionState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../auth/use-user.ts';
import { AccessView } from './access-view.tsx';
import { type Candidate, Picker } from './picker.tsx';
import classes from './rbac.module.css';
import { scopeSummary } from './scope-values.ts';
import type { Token, User } from './types.ts';
import { type Subject, useAccess } from './use-access.ts';

function Result({ subject }: { subject: Subject }) {
  const { access, privileges, error, retry } = useAccess(subject);
  if (access && privileges)
    return (
      <div className={layout.stack}>
        {privileges.groups.length > 0 ? (
          <p className={classes.remark}>
            In the groups <Name>{privileges.groups.join(', ')}</Name>
          </p>
        ) : null}
        <AccessView key={`${subject.user_id} ${subject.scope ? 'token' : ''}`} access={access} />
      </div>
    );
  return (
    <Panel title="Access">
      <Query query={{ data: undefined, error, refetch: retry }} what="the access" lines={8} />
    </Panel>
  );
}

function candidatesOf(users: readonly User[], tokens: readonly Token[]): Candidate[] {
  return [
    ...users.map((user) => ({
      key: `user=${user.id}`,
      name: user.username,
      kind: user.is_service_account ? 'service account' : 'user',
    })),
    ...tokens.map((token) => ({
      key: `token=${token.id}`,
      name: token.name || token.token_prefix,
      kind: `token of ${token.username}`,
    })),
  ];
}

interface Chosen {
  title: string;
  facts: string;
  subject: Subject;
  isDisabled: boolean;
}

function useChosen(users: readonly User[] | undefined, tokens: readonly Token[]): Chosen | undefined {
  const [search] = useSearchParams();
  const token = tokens.find(({ id }) => String(id) === search.get('token'));
  const owner = users?.find(({ id }) => String(id) === search.get('user') || id === token?.user_id);
  if (!owner) return undefined;
  const kind = owner.is_service_account ? 'Service account' : 'Person';
  return {
    title: token ? token.name || token.token_prefix : owner.username,
    facts: token
      ? `Token of ${owner.username} · ${scopeSummary(token.scope)}`
      : `${kind}${owner.is_superuser ? ', superuser' : ''}`,
    subject: { user_id: owner.id, scope: token?.scope },
    isDisabled: !owner.enabled,
  };
}

export function AccessPage() {
  const me = useUser().data;
  const [search, setSearch] = useSearchParams();
  const mayAsk = mayUse(me, 'manage_users');
  const users = useOperation('listUsers', {}, { enabled: mayAsk });
  const mayList = mayAsk && mayUse(me, 'manage_token_scopes');
  const tokens = useOperation('listTokens', {}, { enabled: mayList }).data?.tokens ?? [];
  const chosen = useChosen(users.data?.users, tokens);
  const header = (
    <PageHeader
      title={chosen ? `Access of ${chosen.title}` : 'Effective access'}
      facts={chosen?.facts ?? 'What a user or a token may do in the end, and from where each right comes'}
      actions={
        chosen ? (
          <Button variant="default" onClick={() => setSearch({})}>
            Choose another
          </Button>
        ) : undefined
      }
    />
  );
  if (!mayAsk || !users.data)
    return (
      <>
        {header}
        <Panel title="Whose access?">
          {!mayAsk ? (
            <NoPermissionState what="the access of others" />
          ) : (
            <Query query={users} what="the users" />
          )}
        </Panel>
      </>
    );
  return (
    <>
      {header}
      {chosen ? (
        <div className={layout.stack}>
          {chosen.isDisabled ? (
            <Notice tone="warn">
              The account is disabled: nothing of this can be used until it is enabled.
            </Notice>
          ) : null}
          <Result subject={chosen.subject} />
        </div>
      ) : (
        <Panel title="Whose access?">
          <div className={layout.close}>
            {search.has('user') || search.has('token') ? (
              <Notice tone="warn">There is no such user or token any more.</Notice>
            ) : null}
            <Picker
              label="Find a user or token"
              candidates={candidatesOf(users.data.users, tokens)}
              verb="Show access"
              isLook
              empty="No users yet."
              onPick={(key) => setSearch(key)}
            />
          </div>
        </Panel>
      )}
    </>
  );
}
