// To whom an email channel writes. What was typed stays when the server refuses it.
import { Button, Checkbox, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { usePageDraft } from '../../../ui/draft.tsx';
import { typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { AddIcon, DeleteIcon } from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { refusalOf } from './channel-draft.ts';
import type { Channel } from './channel-words.ts';
import classes from './channels.module.css';

type Recipient = NonNullable<Channel['recipients']>[number];

function RecipientRow({ recipient }: { recipient: Recipient }) {
  const { id, channel_id, email_address, display_name, enabled } = recipient;
  const update = useOperationMutation('updateChannelRecipient');
  const remove = useOperationMutation('deleteChannelRecipient');
  const params = { id: channel_id, recipientId: id };
  return (
    <li>
      <div>
        <Name>{email_address}</Name>
        {display_name === undefined ? null : (
          <div className={classes.remark}>
            <Name>{display_name}</Name>
          </div>
        )}
        <FormError error={update.error ?? remove.error} />
      </div>
      <Checkbox
        label="On"
        aria-label={`Write to ${email_address}`}
        checked={enabled}
        disabled={update.isPending}
        onChange={(event) => update.mutate({ params, body: { enabled: event.target.checked } })}
      />
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Remove ${email_address}`}
        leftSection={<DeleteIcon size={14} />}
        loading={remove.isPending}
        onClick={() => remove.mutate({ params })}
      >
        Remove
      </Button>
    </li>
  );
}

function AddRecipient({ channelId }: { channelId: number }) {
  const [address, setAddress] = useState('');
  const [name, setName] = useState('');
  const add = useOperationMutation('addChannelRecipient');
  const { events, guard } = usePageDraft(add.isPending);
  const refusal = add.error ? refusalOf(add.error.message, ['email_address', 'display_name']) : undefined;
  const at = (field: string) => (refusal?.fields.includes(field) ? refusal.words : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { email_address: address.trim(), display_name: name.trim() };
    const onSuccess = () => {
      setAddress('');
      setName('');
    };
    add.mutate({ params: { id: channelId }, body }, { onSuccess });
  };
  return (
    <form className={classes.form} {...events} onSubmit={submit} noValidate>
      <div className={classes.pair}>
        <TextInput
          label="Mail address"
          placeholder="ada@example.com"
          autoComplete="off"
          spellCheck={false}
          maxLength={254}
          error={at('email_address')}
          {...typed(address, setAddress)}
        />
        <TextInput
          label="Called"
          placeholder="Ada"
          autoComplete="off"
          maxLength={255}
          error={at('display_name')}
          {...typed(name, setName)}
        />
      </div>
      {refusal && refusal.fields.length === 0 ? <FormError error={add.error} /> : null}
      <Button
        className={classes.add}
        type="submit"
        size="xs"
        variant="default"
        leftSection={<AddIcon size={14} />}
        loading={add.isPending}
      >
        Add a recipient
      </Button>
      {guard}
    </form>
  );
}

export function Recipients({ channel }: { channel: Channel }) {
  const recipients = channel.recipients ?? [];
  return (
    <Panel
      title="Recipients"
      note={recipients.length === 0 ? 'none yet' : countOf(recipients.length, 'address', 'addresses')}
    >
      {recipients.length === 0 ? (
        <p className={classes.remark}>No mail is sent until there is a recipient.</p>
      ) : (
        <ul className={classes.recipients} aria-label="Recipients">
          {recipients.map((recipient) => (
            <RecipientRow key={recipient.id} recipient={recipient} />
          ))}
        </ul>
      )}
      <AddRecipient channelId={channel.id} />
    </Panel>
  );
}
