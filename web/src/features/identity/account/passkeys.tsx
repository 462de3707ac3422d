// The own passkeys on the page Account: which there are, adding one, removing one.
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type ApiError, call } from '../../../api/client.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { usePageDraft } from '../../../ui/draft.tsx';
import { typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { canUsePasskeys, makePasskey } from '../auth/passkey.ts';
import { type InForce, useOwnProof } from './own-proof.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import classes from './second-factor.module.css';
import { ChangeCodes } from './second-factor-change.tsx';

type Passkey = OperationTypes['listOwnPasskeys']['result']['passkeys'][number];
type Added = OperationTypes['addPasskey']['result'];

export interface AddPasskeyProps {
  inForce: InForce;
  submitLabel: string;
  /** No codes where a second factor was in force before. */
  onDone: (codes: readonly string[]) => void;
  onCancel?: () => void;
}

export function AddPasskey({ inForce, submitLabel, onDone, onCancel }: AddPasskeyProps) {
  const [name, setName] = useState('');
  const proof = useOwnProof(inForce);
  const client = useQueryClient();
  const add = useMutation<Added, ApiError>({
    mutationFn: async () => {
      const { options } = await call('startPasskey', { body: await proof.give() });
      return call('addPasskey', { body: { name: name.trim(), passkey: await makePasskey(options) } });
    },
    onError: () => proof.clear(),
    // First the codes, which are shown once: what is read anew after that may take this form away.
    onSuccess: async ({ recovery_codes }) => {
      onDone(recovery_codes);
      await client.invalidateQueries();
    },
  });
  const { events, guard } = usePageDraft(add.isPending || add.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form className={layout.fields} {...events} onSubmit={submit}>
      <FormError error={add.error} />
      <TextInput
        label="Name of the passkey"
        description="Such as the device it is on."
        required
        withAsterisk={false}
        maxLength={64}
        {...typed(name, setName)}
      />
      {proof.fields}
      <div className={classes.row}>
        <Button type="submit" loading={add.isPending}>
          {submitLabel}
        </Button>
        {onCancel ? (
          <Button variant="subtle" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
      </div>
      {guard}
    </form>
  );
}

interface RemoveProps {
  passkey: Passkey;
  inForce: InForce;
  onDone: () => void;
}

function Remove({ passkey, inForce, onDone }: RemoveProps) {
  const proof = useOwnProof(inForce);
  const client = useQueryClient();
  const remove = useMutation<unknown, ApiError>({
    mutationFn: async () =>
      call('removeOwnPasskey', { params: { id: passkey.id }, body: await proof.give() }),
    onError: () => proof.clear(),
    onSuccess: async () => {
      onDone();
      await client.invalidateQueries();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate();
  };
  return (
    <form className={layout.fields} onSubmit={submit}>
      <p>
        Remove the passkey <Name>{passkey.name}</Name>. It does not sign in any more.
      </p>
      <FormError error={remove.error} />
      {proof.fields}
      <div className={classes.row}>
        <Button type="submit" color="red" loading={remove.isPending}>
          Remove the passkey
        </Button>
        <Button variant="subtle" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const columnsOf = (onRemove: (passkey: Passkey) => void): Column<Passkey>[] => [
  { key: 'name', title: 'Name', width: 'grow', render: ({ name }) => <Name>{name}</Name> },
  { key: 'since', title: 'Added', needs: 'medium', render: (row) => <RelativeTime at={row.created_at} /> },
  {
    key: 'used',
    title: 'Last used',
    render: (row) => (row.last_used_at === null ? 'never' : <RelativeTime at={row.last_used_at} />),
  },
  {
    key: 'actions',
    title: 'Actions',
    align: 'end',
    width: 'actions',
    render: (row) => <RowButton verb="Remove" of={`the passkey ${row.name}`} onClick={() => onRemove(row)} />,
  },
];

type Doing = { kind: 'add' | 'codes' } | { kind: 'remove'; passkey: Passkey } | undefined;

interface ListProps {
  passkeys: readonly Passkey[];
  canWork: boolean;
  hasApp: boolean;
  onDo: (doing: Doing) => void;
}

function List({ passkeys, canWork, hasApp, onDo }: ListProps) {
  const isPossible = canWork && canUsePasskeys();
  return (
    <div className={layout.fields}>
      <p className={classes.text}>
        A passkey signs you in without your password, or replaces the code that is asked for after it.
      </p>
      {passkeys.length > 0 ? (
        <DataTable
          caption="Passkeys"
          columns={columnsOf((passkey) => onDo({ kind: 'remove', passkey }))}
          rows={[...passkeys]}
          rowKey={({ id }) => String(id)}
        />
      ) : null}
      {isPossible ? null : (
        <Notice tone="info">
          Passkeys cannot work at this address. They need HTTPS and a host name, and the setting
          api.public_url.
        </Notice>
      )}
      <div className={classes.row}>
        {isPossible ? (
          <Button variant="default" onClick={() => onDo({ kind: 'add' })}>
            Add a passkey
          </Button>
        ) : null}
        {passkeys.length > 0 && !hasApp ? (
          <Button variant="default" onClick={() => onDo({ kind: 'codes' })}>
            Replace recovery codes
          </Button>
        ) : null}
      </div>
    </div>
  );
}

export function Passkeys() {
  const query = useOperation('listOwnPasskeys', {});
  const hasApp = useOperation('getSecondFactor', {}).data?.is_set_up ?? false;
  const [doing, setDoing] = useState<Doing>();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const done = (shown: readonly string[] = []) => {
    setDoing(undefined);
    setCodes(shown);
  };
  if (codes.length > 0)
    return (
      <Panel title="Passkeys">
        <RecoveryCodes codes={codes} onDone={() => setCodes([])} isPage />
      </Panel>
    );
  return (
    <Panel title="Passkeys">
      <Query query={query} what="your passkeys">
        {({ passkeys, can_work }) => {
          const inForce = { hasApp, hasPasskeys: passkeys.length > 0 };
          const cancel = () => setDoing(undefined);
          if (doing?.kind === 'add')
            return (
              <AddPasskey inForce={inForce} submitLabel="Add the passkey" onDone={done} onCancel={cancel} />
            );
          if (doing?.kind === 'remove')
            return <Remove passkey={doing.passkey} inForce={inForce} onDone={cancel} />;
          if (doing)
            return (
              <ChangeCodes kind="replaceRecoveryCodes" inForce={inForce} onDone={done} onCancel={cancel} />
            );
          return <List passkeys={passkeys} canWork={can_work} hasApp={hasApp} onDo={setDoing} />;
        }}
      </Query>
    </Panel>
  );
}
