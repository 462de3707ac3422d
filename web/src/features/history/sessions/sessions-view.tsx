// The sessions of a server at one moment: what each did, and for how long. Guards: of when it is stands beside it; where
// nothing is known, it says why.
import { NativeSelect } from '@mantine/core';
import { useId, useMemo } from 'react';
import { countOf } from '../../../lib/format.ts';
import { parseSort, sortText } from '../../../lib/sort.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { SearchIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { AsOf, MomentFrame } from './moment-frame.tsx';
import { MomentLog } from './moment-log.tsx';
import classes from './sessions.module.css';
import { COLUMNS, type Session } from './sessions-columns.tsx';
import type { Moment } from './use-moment.ts';

const NAMES = ['q', 'state', 'sort'] as const;
const KEYS = COLUMNS.flatMap(({ key, value }) => (value ? [key] : []));
/** Those at work first, then the oldest. */
const AS_READ = { key: '', descending: false };
const TIES = [(row: Session) => row.pid] as const;

/** Those of clients first; processes of the server have no state. */
const clientsFirst = (rows: readonly Session[]) =>
  rows.toSorted((a, b) => Number(a.state === null) - Number(b.state === null));

function matches(row: Session, text: string, state: string): boolean {
  if (state !== '' && row.state !== state) return false;
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return true;
  const said = [
    row.pid,
    row.query,
    row.database,
    row.user_name,
    row.application_name,
    row.client_address,
    row.wait_event_type,
    row.wait_event,
    row.backend_type,
  ];
  return said.some((one) => one !== null && String(one).toLowerCase().includes(wanted));
}

function Waits({ waits, zone }: { waits: Moment['waits']; zone: string }) {
  const id = useId();
  const { classes: found, active_count, idle_in_transaction_count } = waits;
  return (
    <section className={classes.top} aria-labelledby={id}>
      <h2 id={id}>Active sessions</h2>
      {found === null ? (
        <p className={classes.reason}>{waits.reason}</p>
      ) : (
        <ul className={classes.waits}>
          <li>
            <strong>{active_count}</strong> active
          </li>
          {found.map(({ wait_class, sessions }) => (
            <li key={wait_class} data-waits={wait_class === 'Lock' || undefined}>
              <strong>{sessions}</strong> {wait_class}
            </li>
          ))}
          <li>
            <strong>{idle_in_transaction_count}</strong> idle in transaction
          </li>
        </ul>
      )}
      {waits.as_of === null ? null : (
        <span className={layout.remark}>
          <AsOf at={waits.as_of} zone={zone} />
        </span>
      )}
    </section>
  );
}

function List({ rows, total }: { rows: readonly Session[]; total: number }) {
  const [text, set] = useUrlTexts(NAMES);
  const [typed, state] = [text('q'), text('state')];
  const shown = useMemo(
    () => clientsFirst(rows.filter((row) => matches(row, typed, state))),
    [rows, typed, state],
  );
  const states = [...new Set(rows.flatMap((row) => row.state ?? []))].sort();
  if (state !== '' && !states.includes(state)) states.push(state);
  const sort = parseSort(text('sort'), KEYS, AS_READ);
  return (
    <>
      <search className={layout.tableFilters} aria-label="Filters">
        <SearchField label="Search sessions" value={typed} onChange={(q) => set({ q })} />
        <NativeSelect
          aria-label="State"
          data={[{ value: '', label: 'Every state' }, ...states]}
          value={state}
          onChange={(event) => set({ state: event.target.value })}
        />
        <span className={layout.small}>
          {shown.length === total
            ? countOf(total, 'session')
            : `${shown.length} of ${countOf(total, 'session')}`}
        </span>
      </search>
      {shown.length === 0 ? (
        <EmptyState icon={<SearchIcon size={26} />} title="No session matches">
          Try a shorter text or every state.
        </EmptyState>
      ) : (
        <DataTable
          caption="Sessions"
          columns={COLUMNS}
          rows={shown}
          rowKey={({ pid }) => String(pid)}
          sort={sort}
          onSort={(next) => set({ sort: sortText(next) })}
          ties={TIES}
        />
      )}
    </>
  );
}

function Sessions({ moment: { sessions, waits, logs }, zone }: { moment: Moment; zone: string }) {
  const { rows, total_count, reason } = sessions;
  return (
    <div className={classes.view}>
      <Waits waits={waits} zone={zone} />
      <Panel title="Sessions" note={<AsOf at={sessions.as_of} zone={zone} />} flush>
        {rows === null ? (
          <p className={classes.padded}>{reason}</p>
        ) : (
          <List rows={rows} total={total_count ?? rows.length} />
        )}
      </Panel>
      <MomentLog logs={logs} zone={zone} />
    </div>
  );
}

export function SessionsView({ id }: { id: number }) {
  return (
    <MomentFrame id={id} what="the sessions">
      {(moment, zone) => <Sessions moment={moment} zone={zone} />}
    </MomentFrame>
  );
}
