// Adding a channel: its type, what configures it, and what its messages look like before anything is sent.
import { useNavigate } from 'react-router';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { MissingRightState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { createBody } from './channel-draft.ts';
import { ChannelSheet } from './channel-form.tsx';
import { type ChannelType, channelPath, MANAGE } from './channel-words.ts';
import classes from './channels.module.css';
import { useChannelForm } from './use-channel-form.ts';

const FOREVER_MS = 3_600_000;
export const useTypes = () => useOperation('listChannelTypes', {}, { staleMs: FOREVER_MS });

export function MayNotManage() {
  return (
    <MissingRightState what="manage notification channels">
      You need the permission <code>{MANAGE}</code>. An administrator can give it to you.
    </MissingRightState>
  );
}

function Sheet({ types, first }: { types: readonly ChannelType[]; first: ChannelType }) {
  const navigate = useNavigate();
  const create = useOperationMutation('createNotificationChannel');
  const form = useChannelForm({ types, first, error: create.error });
  const submit = () =>
    create.mutate(
      { body: createBody(form.type, form.draft) },
      { onSuccess: ({ id }) => void navigate(channelPath(id)) },
    );
  return (
    <div className={classes.single}>
      <ChannelSheet
        form={form}
        types={types.map(({ channel_type, display_name }) => ({ name: channel_type, title: display_name }))}
        submitLabel={form.type.has_recipients ? 'Add it, then name recipients' : 'Add the channel'}
        error={create.error}
        isPending={create.isPending || create.isSuccess}
        cancelPath="/channels"
        onSubmit={submit}
      />
    </div>
  );
}

export function AddChannelPage() {
  const user = useUser().data;
  const types = useTypes();
  const mayManage = mayUse(user, MANAGE);
  return (
    <>
      <PageHeader
        title="Add a channel"
        {...(mayManage ? { facts: 'It can be tested as soon as it is added.' } : {})}
      />
      {mayManage ? (
        types.data?.[0] ? (
          <Sheet types={types.data} first={types.data[0]} />
        ) : (
          <Panel title="Channel">
            <Query query={types} what="the types of channels" lines={8} />
          </Panel>
        )
      ) : (
        <MayNotManage />
      )}
    </>
  );
}
