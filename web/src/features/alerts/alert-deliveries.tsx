// Where an alert was sent, when, and what came of it. Guards: what waits or was given up says so, with the last reply.
import type { OperationTypes } from '../../api/operations.gen.ts';
import { useOperation } from '../../api/use-operation.ts';
import { countOf, formatCount } from '../../lib/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Name } from '../../ui/name.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Mark, Status } from '../../ui/status.tsx';
import classes from './alerts.module.css';

type Delivery = OperationTypes['listAlertDeliveries']['result']['deliveries'][number];

const EVERY_MS = 15_000;
const MOST = 50;

const KIND_WORDS: Record<Delivery['kind'], string> = {
  fire: 'That it fired',
  clear: 'That it cleared',
  reminder: 'A reminder',
  acknowledge: 'That it was acknowledged',
};
const STATES: Record<Delivery['state'], { label: string; mark: Mark }> = {
  queued: { label: 'Waiting', mark: 'waiting' },
  sending: { label: 'Being sent', mark: 'waiting' },
  sent: { label: 'Sent', mark: 'ok' },
  dead: { label: 'Given up', mark: 'failed' },
  skipped: { label: 'Not sent', mark: 'skipped' },
};

const COLUMNS: readonly Column<Delivery>[] = [
  {
    key: 'what',
    title: 'Notification',
    width: 'grow',
    render: ({ kind, channel_name, reply, attempts }) => (
      <div className={classes.words}>
        {KIND_WORDS[kind]}, by <Name>{channel_name}</Name>
        {reply === null ? null : (
          <div className={classes.remark}>
            {attempts.length > 1 ? `${countOf(attempts.length, 'attempt')}, the last one: ` : null}
            <Name>{reply}</Name>
          </div>
        )}
      </div>
    ),
  },
  { key: 'state', title: 'State', render: ({ state }) => <Status {...STATES[state]} /> },
  {
    key: 'at',
    title: 'When',
    needs: 'medium',
    render: ({ ended_at, queued_at }) => <RelativeTime at={ended_at ?? queued_at} />,
  },
];

export function AlertDeliveries({ id }: { id: number }) {
  const found = useOperation(
    'listAlertDeliveries',
    { params: { id }, query: { limit: MOST } },
    { everyMs: EVERY_MS },
  );
  const { deliveries = [], total_count = 0 } = found.data ?? {};
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
            <DataTable
              caption="Notifications of the alert"
              columns={COLUMNS}
              rows={deliveries}
              rowKey={(row) => String(row.id)}
            />
          )
        }
      </Query>
    </Panel>
  );
}
