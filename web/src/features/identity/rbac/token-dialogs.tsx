// Making a token, changing its scope, and the one moment in which it is shown. A new token that is to have a scope gets
// it before it is shown; when the scope is refused, the token is revoked again, so none is ever wider than was asked.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type ApiError, call } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { typed } from '../../../ui/field.ts';
import forms from '../../../ui/form.module.css';
import { FormEnd } from '../../../ui/form-end.tsx';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { SuggestField } from '../../../ui/suggest-field.tsx';
import { mayUse, useUser } from '../auth/use-user.ts';
import { Expiry } from './expiry.tsx';
import classes from './rbac.module.css';
import { ScopeEditor } from './scope-editor.tsx';
import { emptyDimension, type ScopeDraft, scopeBodyOf, scopeDraftOf, UNRESTRICTED } from './scope-values.ts';
import type { CreatedToken, Token } from './types.ts';

const LIFETIMES = [
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '1y', label: '1 year' },
  { value: 'never', label: 'As long as this server allows' },
];

interface NewToken {
  owner_username: string;
  annotation: string;
  expires_in: string;
  scope: ScopeDraft;
}

async function makeToken({ scope, ...body }: NewToken): Promise<CreatedToken> {
  const made = await call('createToken', { body });
  const scopeBody = scopeBodyOf(scope);
  if (!scopeBody) return made;
  try {
    await call('setTokenScope', { params: { id: made.id }, body: scopeBody });
  } catch (refused) {
    await call('deleteToken', { params: { id: made.id } });
    throw refused;
  }
  return made;
}

function OwnerField({
  value,
  error,
  onChange,
}: {
  value: string;
  error?: string;
  onChange: (value: string) => void;
}) {
  const mayList = mayUse(useUser().data, 'manage_users');
  const users = useOperation('listUsers', {}, { enabled: mayList }).data?.users ?? [];
  return (
    <SuggestField
      label="Owner"
      description="The user or service account with whose rights the token acts."
      maxLength={128}
      value={value}
      error={error}
      offered={users.map(({ username, display_name }) => ({ value: username, label: display_name }))}
      onChange={onChange}
    />
  );
}

function NewTokenForm({ onMade, onClose }: { onMade: (made: CreatedToken) => void; onClose: () => void }) {
  const me = useUser().data?.username ?? '';
  const [draft, setDraft] = useState<NewToken>({
    owner_username: me,
    annotation: '',
    expires_in: '30d',
    scope: UNRESTRICTED,
  });
  const [tried, setTried] = useState(false);
  const client = useQueryClient();
  const make = useMutation<CreatedToken, ApiError, NewToken>({
    mutationFn: makeToken,
    onSettled: () => client.invalidateQueries({ queryKey: ['listTokens'] }),
  });
  const change = (next: Partial<NewToken>) => setDraft((last) => ({ ...last, ...next }));
  const owner = draft.owner_username.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (owner === '' || emptyDimension(draft.scope)) return;
    make.mutate({ ...draft, owner_username: owner }, { onSuccess: onMade });
  };
  return (
    <form className={layout.fields} onSubmit={submit} noValidate autoComplete="off">
      <TextInput
        label="Name"
        data-autofocus
        description="What it is for, such as the program that will use it."
        maxLength={255}
        {...typed(draft.annotation, (annotation) => change({ annotation }))}
      />
      <div className={layout.pair}>
        <OwnerField
          value={draft.owner_username}
          {...(tried && owner === '' ? { error: 'Type the name of the owner.' } : {})}
          onChange={(owner_username) => change({ owner_username })}
        />
        <NativeSelect
          label="Valid for"
          description="It stops by itself after that."
          data={LIFETIMES}
          {...typed(draft.expires_in, (expires_in) => change({ expires_in }))}
        />
      </div>
      <ScopeEditor
        draft={draft.scope}
        missing={tried ? emptyDimension(draft.scope) : undefined}
        onChange={(scope) => change({ scope })}
      />
      <FormEnd verb="Create the token" error={make.error} isPending={make.isPending} onCancel={onClose} />
    </form>
  );
}

function Shown({ made, onClose }: { made: CreatedToken; onClose: () => void }) {
  return (
    <div className={layout.fields}>
      <Notice tone="warn" role="status">
        Copy it now: only its hash is kept, so it cannot be shown again.
      </Notice>
      <CodeBlock code={made.token} label={`Token of ${made.owner}`} />
      <p className={classes.remark}>
        Programs send it as <code>Authorization: Bearer …</code>; it{' '}
        {made.expires_at ? (
          <>
            expires <Expiry at={made.expires_at} />
          </>
        ) : (
          'does not expire'
        )}
        .
      </p>
      <div className={forms.actions}>
        <Button onClick={onClose}>I have kept it</Button>
      </div>
    </div>
  );
}

export function NewTokenDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<CreatedToken>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog
      title={made ? 'The new token' : 'Create a token'}
      opened={opened}
      onClose={close}
      size="xl"
      insistent={made !== undefined}
    >
      {made ? <Shown made={made} onClose={close} /> : <NewTokenForm onMade={setMade} onClose={close} />}
    </Dialog>
  );
}

async function saveScope(id: number, draft: ScopeDraft): Promise<void> {
  const body = scopeBodyOf(draft);
  if (body) await call('setTokenScope', { params: { id }, body });
  else await call('clearTokenScope', { params: { id } });
}

function ScopeForm({ token, onClose }: { token: Token; onClose: () => void }) {
  const [draft, setDraft] = useState(() => scopeDraftOf(token.scope));
  const [tried, setTried] = useState(false);
  const client = useQueryClient();
  const save = useMutation<void, ApiError, ScopeDraft>({
    mutationFn: (next) => saveScope(token.id, next),
    onSuccess: () => client.invalidateQueries({ queryKey: ['listTokens'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (emptyDimension(draft) === undefined) save.mutate(draft, { onSuccess: onClose });
  };
  return (
    <form className={layout.fields} onSubmit={submit} noValidate>
      <p className={classes.remark}>
        A scope takes away from what {token.username} may do; it never adds. Made{' '}
        <RelativeTime at={token.created_at} />; a change counts at the next request.
      </p>
      <ScopeEditor draft={draft} missing={tried ? emptyDimension(draft) : undefined} onChange={setDraft} />
      <FormEnd verb="Save the scope" error={save.error} isPending={save.isPending} onCancel={onClose}>
        <Button
          className={classes.end}
          variant="default"
          disabled={scopeBodyOf(draft) === undefined}
          onClick={() => setDraft(UNRESTRICTED)}
        >
          Take all limits away
        </Button>
      </FormEnd>
    </form>
  );
}

export function ScopeDialog({ token, onClose }: { token: Token | undefined; onClose: () => void }) {
  return (
    <Dialog
      title={`Scope of ${token?.name || 'the token'}`}
      opened={token !== undefined}
      onClose={onClose}
      size="xl"
    >
      {token ? <ScopeForm token={token} onClose={onClose} /> : null}
    </Dialog>
  );
}
