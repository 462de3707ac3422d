// Every channel: what it is, whether it is on and told of every server, when the other side last took something, and what
// waits or was given up. Guards: who may not manage channels sees which there are, and why no more.
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { formatCount } from '../../../lib/format.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { ChannelIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime, TimeAhead } from '../../../ui/relative-time.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { useTypes } from './add-channel-page.tsx';
import {
  type Channel,
  channelPath,
  channelState,
  type Delivery,
  deliveriesPath,
  MANAGE,
  type Summary,
} from './channel-words.ts';
import classes from './channels.module.css';
import { useSummaries } from './use-summaries.ts';

interface Row {
  channel: Channel;
  typeName: string;
  summary: Summary | undefined;
  mayManage: boolean;
}

/** While it fails: why, and when it is tried again. */
function Failing({ summary }: { summary: Summary | undefined }) {
  if (!summary?.retry_at) return null;
  return (
    <div className={classes.remark}>
      {summary.last_reply} Tried again <TimeAhead at={summary.retry_at} />.
    </div>
  );
}

function NameCell({ channel, typeName, summary, mayManage }: Row) {
  const { id, name, description, is_estate_default } = channel;
  const { label } = channelState(channel, summary);
  const waiting = (summary?.waiting ?? 0) > 0 ? ` · ${formatCount(summary?.waiting ?? 0)} waiting` : '';
  const dead = (summary?.dead ?? 0) > 0 ? ` · ${formatCount(summary?.dead ?? 0)} given up` : '';
  return (
    <div className={classes.named}>
      {mayManage ? (
        <Link className={classes.name} to={channelPath(id)} data-row-link>
          <Name>{name}</Name>
        </Link>
      ) : (
        <span className={classes.name}>
          <Name>{name}</Name>
        </span>
      )}
      {description === undefined ? null : (
        <div className={classes.remark}>
          <Name>{description}</Name>
        </div>
      )}
      <div className={`${classes.remark} ${layout.narrow}`}>
        {typeName} · {label}
        {is_estate_default ? ' · notified for all servers' : ''}
        {waiting}
        {dead}
      </div>
      <Failing summary={summary} />
    </div>
  );
}

interface CountProps {
  row: Row;
  state: Delivery['state'];
  count: number | undefined;
}

function Count({ row: { channel }, state, count }: CountProps) {
  if (count === undefined) return <Unknown because="Not read yet" />;
  if (count === 0) return '0';
  return (
    <Link className="link" to={deliveriesPath(channel.id, state)}>
      {formatCount(count)}
    </Link>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'name', title: 'Channel', width: 'grow', render: (row) => <NameCell {...row} /> },
  { key: 'type', title: 'Type', needs: 'medium', render: ({ typeName }) => typeName },
  {
    key: 'state',
    title: 'State',
    needs: 'medium',
    render: ({ channel, summary }) => <Status {...channelState(channel, summary)} />,
  },
  {
    key: 'default',
    title: 'Notified for',
    hint: 'See Routing for groups, clusters and servers',
    needs: 'wide',
    render: ({ channel }) => (channel.is_estate_default ? 'every server' : 'by routing'),
  },
];

const OF_DELIVERIES: readonly Column<Row>[] = [
  {
    key: 'last',
    title: 'Last delivery',
    hint: 'When the other side last took something',
    needs: 'medium',
    render: ({ summary }) =>
      summary === undefined ? (
        <Unknown because="Not read yet" />
      ) : summary.last_sent_at === null ? (
        'none yet'
      ) : (
        <RelativeTime at={summary.last_sent_at} />
      ),
  },
  {
    key: 'waiting',
    title: 'Waiting',
    align: 'end',
    needs: 'medium',
    render: (row) => <Count row={row} state="queued" count={row.summary?.waiting} />,
  },
  {
    key: 'dead',
    title: 'Given up',
    hint: 'After a day of trying; they can be sent again',
    align: 'end',
    needs: 'medium',
    render: (row) => <Count row={row} state="dead" count={row.summary?.dead} />,
  },
];

function NoChannel({ mayManage }: { mayManage: boolean }) {
  return (
    <EmptyState
      icon={<ChannelIcon size={26} />}
      title="No channel yet"
      action={
        mayManage ? (
          <Button component={Link} to="/channels/new" size="xs" variant="default">
            Add a channel
          </Button>
        ) : undefined
      }
    >
      Alerts are shown here, but no messages are sent. A channel sends them on: by mail, to a chat, to the
      engineer on call, or to a server of your own.
    </EmptyState>
  );
}

export function ChannelList({ mayManage }: { mayManage: boolean }) {
  const channels = useOperation('listNotificationChannels', {}, { everyMs: 60_000 });
  const summaries = useSummaries(mayManage);
  const types = useTypes();
  const rowOf = (channel: Channel): Row => ({
    channel,
    typeName:
      types.data?.find(({ channel_type }) => channel_type === channel.channel_type)?.display_name ??
      channel.channel_type,
    summary: summaries.data?.find(({ channel_id }) => channel_id === channel.id),
    mayManage,
  });
  return (
    <>
      {mayManage ? null : (
        <Notice tone="info">
          Where channels lead, what they delivered and sending again is for those with the permission{' '}
          <code>{MANAGE}</code>. An administrator can give it to you.
        </Notice>
      )}
      <Panel title="Channels" flush>
        <Query query={channels} what="the channels" lines={4} padded>
          {(data) =>
            data.length === 0 ? (
              <NoChannel mayManage={mayManage} />
            ) : (
              <DataTable
                caption="Notification channels"
                columns={mayManage ? [...COLUMNS, ...OF_DELIVERIES] : COLUMNS}
                rows={data.map(rowOf)}
                rowKey={({ channel }) => String(channel.id)}
                {...(mayManage ? { rowPath: ({ channel }: Row) => channelPath(channel.id) } : {})}
              />
            )
          }
        </Query>
      </Panel>
    </>
  );
}
