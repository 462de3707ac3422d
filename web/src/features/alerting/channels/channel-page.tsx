// One channel: what configures it, a test with the real answer, its recipients, and what became of its messages. Guards:
// looking at its deliveries takes nothing away that was typed into the form.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { useUrlChoice } from '../../../lib/url-state.ts';
import { dropDrafts } from '../../../ui/draft.tsx';
import { DeleteIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { NotFoundPage } from '../../../ui/not-found-page.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { Question } from '../../../ui/question.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { MayNotManage, useTypes } from './add-channel-page.tsx';
import { updateBody } from './channel-draft.ts';
import { ChannelSheet } from './channel-form.tsx';
import { ChannelTest } from './channel-test.tsx';
import { type Channel, type ChannelType, MANAGE } from './channel-words.ts';
import classes from './channels.module.css';
import { Deliveries } from './deliveries.tsx';
import { PagerDutyWebhook } from './pagerduty-webhook.tsx';
import { Recipients } from './recipients.tsx';
import { useChannelForm } from './use-channel-form.ts';
import { useSummaries } from './use-summaries.ts';

interface Opened {
  channel: Channel;
  type: ChannelType;
}

function DeleteChannel({ channel }: { channel: Channel }) {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  return (
    <Panel title="Delete">
      <div className={classes.danger}>
        <p>Deletes the channel and its pending messages. To pause it, turn it off.</p>
        <Button
          variant="outline"
          color="red"
          leftSection={<DeleteIcon size={16} />}
          onClick={() => setAsking(true)}
        >
          Delete…
        </Button>
      </div>
      <Question
        title={`Delete ${channel.name}?`}
        verb="Delete the channel"
        operation="deleteNotificationChannel"
        id={asking ? channel.id : undefined}
        onDone={() => {
          dropDrafts();
          return navigate('/channels');
        }}
        onClose={() => setAsking(false)}
      >
        <p>Its recipients, its routing and its deliveries are deleted with it. It sends no more messages.</p>
      </Question>
    </Panel>
  );
}

interface SheetProps extends Opened {
  /** What the form begins with: as it was saved just now, which may not have been read again yet. */
  begin: Channel;
  isSaved: boolean;
  onSaved: (channel: Channel) => void;
}

/** From the channel as it was when this was drawn first: what others change meanwhile does not disturb whoever types. */
function Sheet({ channel, begin, type, isSaved, onSaved }: SheetProps) {
  const update = useOperationMutation('updateNotificationChannel');
  const form = useChannelForm({ types: [type], first: type, channel: begin, error: update.error });
  const submit = () =>
    update.mutate(
      { params: { id: channel.id }, body: updateBody(type, form.initial, form.draft) },
      { onSuccess: onSaved },
    );
  return (
    <>
      <ChannelSheet
        form={form}
        submitLabel="Save changes"
        error={update.error}
        isSaved={isSaved && update.isIdle}
        isPending={update.isPending}
        cancelPath="/channels"
        onSubmit={submit}
      />
      <div className={layout.stack}>
        {type.has_recipients ? <Recipients channel={channel} /> : null}
        {type.channel_type === 'pagerduty' ? <PagerDutyWebhook channel={channel} /> : null}
        <ChannelTest channel={channel} type={type} />
        <DeleteChannel channel={channel} />
      </div>
    </>
  );
}

function Settings({ channel, type }: Opened) {
  const [saved, setSaved] = useState<{ times: number; channel?: Channel }>({ times: 0 });
  return (
    <div className={classes.columns}>
      <Sheet
        key={saved.times}
        channel={channel}
        begin={saved.channel ?? channel}
        type={type}
        isSaved={saved.times > 0}
        onSaved={(changed) => setSaved(({ times }) => ({ times: times + 1, channel: changed }))}
      />
    </div>
  );
}

const KEYS = ['settings', 'deliveries'] as const;

function Parts({ channel, type }: Opened) {
  const [here] = useUrlChoice('tab', KEYS, 'settings');
  const dead = useSummaries(true).data?.find(({ channel_id }) => channel_id === channel.id)?.dead ?? 0;
  const tabs = [
    { key: 'settings', title: 'Settings' },
    {
      key: 'deliveries',
      title: 'Deliveries',
      ...(dead > 0 ? { count: dead, attention: 'given up' } : {}),
    },
  ];
  return (
    <>
      <Tabs label="Parts of the channel" tabs={tabs} here={here} />
      <div hidden={here !== 'settings'}>
        <Settings channel={channel} type={type} />
      </div>
      {here === 'deliveries' ? (
        <div className={layout.stack}>
          <Deliveries id={channel.id} />
        </div>
      ) : null}
    </>
  );
}

function factsOf({ channel, type }: Opened): string {
  return [
    type.display_name,
    channel.enabled ? 'on' : 'switched off',
    ...(channel.is_estate_default ? ['notified for all servers'] : []),
    ...(channel.owner_username === undefined ? [] : [`added by ${channel.owner_username}`]),
  ].join(' · ');
}

function OpenedChannel({ id }: { id: number }) {
  const channel = useOperation('getNotificationChannel', { params: { id } });
  const types = useTypes();
  const type = types.data?.find(({ channel_type }) => channel_type === channel.data?.channel_type);
  const mayManage = mayUse(useUser().data, MANAGE);
  // One that was open when it was deleted stays until whoever deleted it is back at the list.
  if (channel.error?.status === 404 && !channel.data) return <NotFoundPage />;
  if (!channel.data || !type)
    return (
      <>
        <PageHeader title="Channel" />
        <Panel title="Channel">
          <Query query={channel.data ? types : channel} what="the channel" lines={8} />
        </Panel>
      </>
    );
  const opened = { channel: channel.data, type };
  return (
    <>
      <PageHeader title={channel.data.name} facts={factsOf(opened)} />
      {mayManage ? <Parts key={id} {...opened} /> : <MayNotManage />}
    </>
  );
}

export function ChannelPage() {
  const { id = '' } = useParams();
  return /^[1-9]\d{0,8}$/.test(id) ? <OpenedChannel id={Number(id)} /> : <NotFoundPage />;
}
