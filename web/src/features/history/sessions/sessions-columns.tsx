// The columns of the list of sessions.
import { formatValue } from '../../../ui/charts/values.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './sessions.module.css';
import type { Moment } from './use-moment.ts';

export type Session = NonNullable<Moment['sessions']['rows']>[number];

const age = (seconds: number | null, because: string) =>
  formatValue(seconds, 'seconds') ?? <Unknown because={because} />;

/** Its statement, to be opened. */
export function StatementText({ query, label }: { query: string | null; label: string }) {
  if (query === null || query === '')
    return <Unknown because="It has run no statement, or our role may not see it" />;
  return (
    <details className={classes.text}>
      <summary>
        <code>{query.replaceAll(/\s+/g, ' ')}</code>
      </summary>
      <CodeBlock code={query} label={label} />
    </details>
  );
}

/** "app on shop · checkout · 10.0.0.7". */
export function Who(props: {
  user_name: string | null;
  database: string | null;
  application_name: string | null;
  client_address: string | null;
}) {
  const { user_name, database, application_name, client_address } = props;
  const parts = [
    [user_name, database].filter((part) => part !== null).join(' on '),
    application_name ?? '',
    client_address ?? '',
  ].filter((part) => part !== '');
  return <bdi>{parts.join(' · ')}</bdi>;
}

function Doing({ state, wait_event_type, wait_event, backend_type }: Session) {
  const wait = [wait_event_type, wait_event].filter((part) => part !== null).join(': ');
  return (
    <div className={classes.doing} data-waits={wait_event_type === 'Lock' || undefined}>
      <span>{state ?? backend_type ?? <Unknown />}</span>
      {wait === '' ? null : <span className={classes.wait}>{wait}</span>}
    </div>
  );
}

export const COLUMNS: readonly Column<Session>[] = [
  {
    key: 'pid',
    title: 'PID',
    width: 'min',
    needs: 'medium',
    value: ({ pid }) => pid,
    render: ({ pid }) => pid,
  },
  {
    key: 'query',
    title: 'Session',
    width: 'grow',
    render: (row) => (
      <div className={layout.cell}>
        <StatementText query={row.query} label={`Statement of ${row.pid}`} />
        <div className={classes.who}>
          <span className={classes.narrow}>{row.pid} </span>
          <Who {...row} />
        </div>
      </div>
    ),
  },
  {
    key: 'state',
    title: 'State',
    width: 'middle',
    value: ({ state }) => state ?? '',
    render: (row) => Doing(row),
  },
  {
    key: 'query_seconds',
    title: 'Statement',
    hint: 'How long its statement has been running; for an idle session, since its last statement began',
    align: 'end',
    needs: 'medium',
    descendingFirst: true,
    value: ({ query_seconds }) => query_seconds,
    render: ({ query_seconds }) => age(query_seconds, 'It has run no statement'),
  },
  {
    key: 'transaction_seconds',
    title: 'Transaction',
    hint: 'For how long its transaction has been open',
    align: 'end',
    descendingFirst: true,
    value: ({ transaction_seconds }) => transaction_seconds,
    render: ({ transaction_seconds }) => age(transaction_seconds, 'It is in no transaction'),
  },
];
