// The own open sessions, each but this one with a button that ends it, and who tried to sign in lately.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime, TimeAhead } from '../../../ui/relative-time.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { Status } from '../../../ui/status.tsx';
import { useSignInOptions } from '../auth/use-sign-in-options.ts';
import classes from './account-page.module.css';
import { wayOf } from './way-of.ts';

type Session = OperationTypes['listOwnSessions']['result']['sessions'][number];
type SignIn = OperationTypes['listOwnSignIns']['result']['sign_ins'][number];
type Providers = Parameters<typeof wayOf>[1];

const addressOf = ({ address }: { address: string | null }) =>
  address === null ? <span className={classes.unknown}>unknown</span> : <Name>{address}</Name>;

const sessionColumns = (providers: Providers, end: (session: Session) => void): Column<Session>[] => [
  { key: 'from', title: 'Address', width: 'grow', render: addressOf },
  {
    key: 'with',
    title: 'Signed in with',
    needs: 'medium',
    render: (row) => wayOf(row.opened_with, providers),
  },
  { key: 'since', title: 'Signed in', render: (row) => <RelativeTime at={row.created_at} /> },
  { key: 'used', title: 'Last used', render: (row) => <RelativeTime at={row.last_used_at} /> },
  { key: 'until', title: 'Ends', needs: 'wide', render: (row) => <TimeAhead at={row.expires_at} /> },
  {
    key: 'actions',
    title: 'Actions',
    align: 'end',
    width: 'actions',
    render: (row) =>
      row.is_current ? (
        'This session'
      ) : (
        <RowButton
          verb="End"
          of={`the session from ${row.address ?? 'an unknown address'}`}
          onClick={() => end(row)}
        />
      ),
  },
];

export function OwnSessions() {
  const query = useOperation('listOwnSessions', {});
  const { data: options } = useSignInOptions();
  const ending = useOperationMutation('endOwnSession');
  const columns = sessionColumns(options?.providers ?? [], ({ id }) => ending.mutate({ params: { id } }));
  return (
    <Panel title="Open sessions" note="each ends 24 hours after signing in at the latest" flush>
      {ending.error ? <FormError error={ending.error} /> : null}
      <Query query={query} what="your sessions" padded>
        {({ sessions }) => (
          <DataTable
            caption="Open sessions"
            columns={columns}
            rows={sessions}
            rowKey={({ id }) => String(id)}
            isBusy={ending.isPending}
          />
        )}
      </Query>
    </Panel>
  );
}

function Outcome({ outcome, reason, occurrences }: SignIn) {
  if (outcome === 'ok') return <Status mark="ok" label="Signed in" />;
  if (outcome === 'code_asked') return <Status mark="info" label="Password right, code asked for" />;
  const label = occurrences === 1 ? 'Refused' : `Refused ${occurrences} times`;
  return (
    <span title={reason ?? undefined}>
      <Status mark="failed" label={label} />
    </span>
  );
}

const signInColumns = (providers: Providers): Column<SignIn>[] => [
  { key: 'outcome', title: 'Outcome', width: 'grow', render: (row) => <Outcome {...row} /> },
  { key: 'from', title: 'Address', render: addressOf },
  {
    key: 'with',
    title: 'Signed in with',
    needs: 'medium',
    render: (row) => wayOf(row.opened_with, providers),
  },
  { key: 'at', title: 'Time', render: (row) => <RelativeTime at={row.at} /> },
];

export function OwnSignIns() {
  const query = useOperation('listOwnSignIns', { query: { limit: 20 } });
  const { data: options } = useSignInOptions();
  return (
    <Panel title="Latest sign-ins" note="from the audit log, refused ones too" flush>
      <Query query={query} what="your sign-ins" padded>
        {({ sign_ins }) => (
          <DataTable
            caption="Latest sign-ins"
            columns={signInColumns(options?.providers ?? [])}
            rows={sign_ins}
            rowKey={({ at, outcome, address }) => `${at} ${outcome} ${address}`}
          />
        )}
      </Query>
    </Panel>
  );
}
