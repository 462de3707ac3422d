// Silences in force, coming and past, each with what can be done about it.
import { useState, useSyncExternalStore } from 'react';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { formatCount } from '../../../lib/format.ts';
import { zoneName } from '../../../lib/zone.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { DeleteBlackoutDialog, ExtendDialog, StopDialog } from './blackout-dialogs.tsx';
import { type Blackout, spanWords, targetWords } from './blackout-words.ts';
import classes from './blackouts.module.css';
import { type BlackoutsRequest, useComing, useInForce, usePast } from './use-blackouts.ts';

type Kind = 'now' | 'coming' | 'past';
type Open = { kind: 'extend' | 'stop' | 'delete'; blackout: Blackout };

function Actions({ row, kind, open }: { row: Blackout; kind: Kind; open: (dialog: Open) => void }) {
  const name = targetWords(row);
  const button = (words: string, dialog: Open['kind']) => (
    <RowButton
      verb={words}
      of={`the silence of ${name}`}
      onClick={() => open({ kind: dialog, blackout: row })}
    />
  );
  return (
    <span className={classes.buttons}>
      {kind === 'past' ? null : button('Change', 'extend')}
      {kind === 'now' ? button('Stop', 'stop') : button('Delete', 'delete')}
    </span>
  );
}

function columnsOf(kind: Kind, open: ((dialog: Open) => void) | undefined): Column<Blackout>[] {
  const zone = zoneName('local');
  return [
    {
      key: 'for',
      title: 'What',
      width: 'grow',
      render: (row) => (
        <div className={classes.named}>
          <span className={classes.name}>
            <Name>{targetWords(row)}</Name>
          </span>
          {row.reason === '' ? null : (
            <div className={classes.remark}>
              <Name>{row.reason}</Name>
            </div>
          )}
          <div className={`${classes.remark} ${layout.narrow}`}>{spanWords(row, zone)}</div>
        </div>
      ),
    },
    { key: 'when', title: `When (${zone})`, needs: 'medium', render: (row) => spanWords(row, zone) },
    {
      key: 'by',
      title: 'By',
      needs: 'wide',
      render: (row) => (
        <>
          <Name>{row.created_by}</Name>
          {row.schedule_id === undefined ? null : <span className={classes.remark}>, by a schedule</span>}
        </>
      ),
    },
    ...(open
      ? [
          {
            key: 'actions',
            title: 'Actions',
            align: 'end' as const,
            width: 'actions' as const,
            render: (row: Blackout) => <Actions row={row} kind={kind} open={open} />,
          },
        ]
      : []),
  ];
}

/** Half a minute: what begins or ends meanwhile is in both lists or in none for that long at most. */
const halfMinute = () => Math.floor(currentSecond() / 30) * 30;

function Sections({
  wanted,
  open,
}: {
  wanted: BlackoutsRequest;
  open: ((dialog: Open) => void) | undefined;
}) {
  const second = useSyncExternalStore(subscribeToSeconds, halfMinute);
  const now = new Date(second * 1000).toISOString();
  const [inForce, coming, past] = [useInForce(wanted), useComing(wanted, now), usePast(wanted, now)];
  const sections = [
    { kind: 'now' as const, title: 'In force', query: inForce, none: 'Nothing is silenced now.' },
    {
      kind: 'coming' as const,
      title: 'Coming',
      query: coming,
      none: 'None. Silences from schedules are listed shortly before they begin; the calendar shows them earlier.',
    },
    { kind: 'past' as const, title: 'Past', query: past, none: 'None yet.' },
  ];
  return sections.map(({ kind, title, query, none }) => {
    const rows = query.data?.blackouts ?? [];
    // The next one first.
    const ordered = kind === 'coming' ? rows.toReversed() : rows;
    const total = query.data?.total_count ?? 0;
    return (
      <Panel
        key={kind}
        title={title}
        flush
        {...(total > rows.length
          ? { note: `the newest ${formatCount(rows.length)} of ${formatCount(total)}` }
          : {})}
      >
        <Query query={query} what={`silences (${title.toLowerCase()})`} lines={2} padded>
          {() =>
            rows.length === 0 ? (
              <p className={layout.none}>{none}</p>
            ) : (
              <DataTable
                caption={`Silences: ${title.toLowerCase()}`}
                columns={columnsOf(kind, open)}
                rows={ordered}
                rowKey={(row) => String(row.id)}
              />
            )
          }
        </Query>
      </Panel>
    );
  });
}

export function BlackoutList({ wanted, mayManage }: { wanted: BlackoutsRequest; mayManage: boolean }) {
  const [dialog, setDialog] = useState<Open>();
  const close = () => setDialog(undefined);
  const of = (kind: Open['kind']) => (dialog?.kind === kind ? dialog.blackout : undefined);
  return (
    <div className={layout.stack}>
      <Sections wanted={wanted} open={mayManage ? setDialog : undefined} />
      <ExtendDialog blackout={of('extend')} onClose={close} />
      <StopDialog blackout={of('stop')} onClose={close} />
      <DeleteBlackoutDialog blackout={of('delete')} onClose={close} />
    </div>
  );
}
