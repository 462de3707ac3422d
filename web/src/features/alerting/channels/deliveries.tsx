// What a channel was to tell, what came of it and when it is tried next; sending again by hand. Guards: replies are our own
// words, what waits or was given up says so.
import { NativeSelect } from '@mantine/core';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { useUrlText, useUrlTexts } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime, TimeAhead } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { type Delivery, KIND_WORDS, outcomeWords, STATES } from './channel-words.ts';
import classes from './channels.module.css';
import { Resend } from './resend.tsx';

const EVERY_MS = 10_000;
const SIZE = 50;
const NAMES = [
  'queued',
  'sending',
  'sent',
  'dead',
  'skipped',
] as const satisfies readonly Delivery['state'][];

/** Each attempt with its reply, folded away. */
function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  if (attempts.length === 0) return null;
  return (
    <details className={classes.attempts}>
      <summary>{countOf(attempts.length, 'attempt')}</summary>
      <ol>
        {attempts.map(({ attempt, started_at, outcome, reply }) => (
          <li key={attempt} value={attempt}>
            {outcomeWords(outcome).label}, <RelativeTime at={started_at} />
            {reply === null ? null : <>: {reply}</>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Told({ row }: { row: Delivery }) {
  const { alert_id, kind, title, server_name, reply, attempts } = row;
  return (
    <div className={classes.named}>
      <Link className={classes.name} to={alert_id === null ? '/report' : `/alerts/${alert_id}`}>
        <Name>{title}</Name>
      </Link>
      <div className={classes.remark}>
        {KIND_WORDS[kind]} · <Name>{server_name}</Name>
        <span className={layout.narrow}>
          <When row={row} />
        </span>
      </div>
      {reply === null ? null : <div className={classes.remark}>{reply}</div>}
      <Attempts attempts={attempts} />
    </div>
  );
}

function When({ row: { queued_at, ended_at, next_attempt_at, state } }: { row: Delivery }) {
  if (next_attempt_at !== null)
    return (
      <>
        next try <TimeAhead at={next_attempt_at} />
      </>
    );
  return (
    <>
      {state === 'sending' ? 'queued ' : null}
      <RelativeTime at={ended_at ?? queued_at} />
    </>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { key: 'what', title: 'Notification', width: 'grow', render: (row) => <Told row={row} /> },
  { key: 'state', title: 'State', render: ({ state }) => <Status {...STATES[state]} /> },
  { key: 'when', title: 'When', needs: 'medium', render: (row) => <When row={row} /> },
  {
    key: 'queued',
    title: 'Queued',
    needs: 'wide',
    render: ({ queued_at }) => <RelativeTime at={queued_at} />,
  },
  {
    key: 'again',
    title: 'Send again',
    align: 'end',
    width: 'actions',
    render: (row) => <Resend delivery={row} />,
  },
];

function useDeliveries(id: number) {
  const [stateText] = useUrlText('state');
  const [pageText] = useUrlText('page');
  const state = NAMES.find((one) => one === stateText);
  const page = /^[1-9]\d{0,3}$/.test(pageText) ? Number(pageText) : 1;
  const query = { limit: SIZE, offset: (page - 1) * SIZE, ...(state ? { state } : {}) };
  const found = useOperation(
    'listChannelDeliveries',
    { params: { id }, query },
    { everyMs: EVERY_MS, keepPrevious: true },
  );
  return { found, state, page };
}

export function Deliveries({ id }: { id: number }) {
  const { found, state, page } = useDeliveries(id);
  const [, setUrl] = useUrlTexts(['state', 'page']);
  const { deliveries = [], total_count = 0 } = found.data ?? {};
  return (
    <>
      <search className={layout.tools} aria-label="Filter">
        <NativeSelect
          label="State"
          data={[
            { value: '', label: 'Every state' },
            ...NAMES.map((value) => ({ value, label: STATES[value].label })),
          ]}
          value={state ?? ''}
          onChange={(event) => setUrl({ state: event.target.value, page: '' })}
        />
      </search>
      <Panel title="Deliveries" note="the newest first, of servers that you can see" flush>
        <Query query={found} what="the deliveries" lines={6} padded>
          {() =>
            total_count === 0 ? (
              <p className={layout.none}>
                {state ? 'None is in this state.' : 'None yet: no alert of this channel has fired.'}
              </p>
            ) : (
              <>
                <DataTable
                  caption="Deliveries of the channel"
                  columns={COLUMNS}
                  rows={deliveries}
                  rowKey={(row) => String(row.id)}
                />
                <Pager
                  page={page}
                  size={SIZE}
                  total={total_count}
                  one="delivery"
                  many="deliveries"
                  onPage={(next) => setUrl({ page: next === 1 ? '' : String(next) })}
                />
              </>
            )
          }
        </Query>
      </Panel>
    </>
  );
}
