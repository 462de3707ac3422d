// Where an alert was sent, when, and what came of it, and sending it again. Guards: what waits or was given up says so, with
// the last reply; who may not send again is told why.
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatCount } from '../../../lib/format.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime, TimeAhead } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { channelPath, type Delivery, KIND_WORDS, MANAGE, STATES } from '../channels/channel-words.ts';
import { Resend } from '../channels/resend.tsx';
import classes from './alerts.module.css';

const EVERY_MS = 15_000;
const MOST = 50;

function Notification({ row, mayManage }: { row: Delivery; mayManage: boolean }) {
  const { kind, channel_id, channel_name, reply, attempts } = row;
  const name = <Name>{channel_name}</Name>;
  return (
    <div className={classes.words}>
      {KIND_WORDS[kind]}, by{' '}
      {mayManage ? (
        <Link className="link" to={channelPath(channel_id)}>
          {name}
        </Link>
      ) : (
        name
      )}
      {reply === null ? null : (
        <div className={classes.remark}>
          {attempts.length > 1 ? `${countOf(attempts.length, 'attempt')}, the last one: ` : null}
          <Name>{reply}</Name>
        </div>
      )}
    </div>
  );
}

function When({ row: { ended_at, queued_at, next_attempt_at } }: { row: Delivery }) {
  if (next_attempt_at === null) return <RelativeTime at={ended_at ?? queued_at} />;
  return (
    <>
      next try <TimeAhead at={next_attempt_at} />
    </>
  );
}

const columnsFor = (mayManage: boolean): Column<Delivery>[] => [
  {
    key: 'what',
    title: 'Notification',
    width: 'grow',
    render: (row) => <Notification row={row} mayManage={mayManage} />,
  },
  { key: 'state', title: 'State', render: ({ state }) => <Status {...STATES[state]} /> },
  { key: 'at', title: 'When', needs: 'medium', render: (row) => <When row={row} /> },
  ...(mayManage
    ? [
        {
          key: 'again',
          title: 'Send again',
          align: 'end' as const,
          width: 'actions' as const,
          render: (row: Delivery) => <Resend delivery={row} namesChannel />,
        },
      ]
    : []),
];

export function AlertDeliveries({ id }: { id: number }) {
  const found = useOperation(
    'listAlertDeliveries',
    { params: { id }, query: { limit: MOST } },
    { everyMs: EVERY_MS },
  );
  const { deliveries = [], total_count = 0 } = found.data ?? {};
  const mayManage = mayUse(useUser().data, MANAGE);
  const columns = useMemo(() => columnsFor(mayManage), [mayManage]);
  return (
    <Panel
      title="Where it was sent"
      flush
      {...(total_count > deliveries.length
        ? { note: `the newest ${formatCount(deliveries.length)} of ${formatCount(total_count)}` }
        : {})}
    >
      <Query query={found} what="where it was sent" lines={2} padded>
        {() =>
          deliveries.length === 0 ? (
            <p className={classes.more}>Nowhere: no notification was queued for it.</p>
          ) : (
            <>
              <DataTable
                caption="Notifications of the alert"
                columns={columns}
                rows={deliveries}
                rowKey={(row) => String(row.id)}
              />
              {mayManage ? null : (
                <p className={classes.more}>
                  Sending again needs the permission <code>{MANAGE}</code>.
                </p>
              )}
            </>
          )
        }
      </Query>
    </Panel>
  );
}
