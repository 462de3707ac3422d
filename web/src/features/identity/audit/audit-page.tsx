// The audit log: what was done or refused, by whom and from where; newest first.
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatCount } from '../../../lib/format.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { AuditIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import classes from './audit.module.css';
import { AuditDetails } from './audit-details.tsx';
import { AuditFilters, useFilters } from './audit-filters.tsx';
import {
  type AuditEvent,
  actionWords,
  OUTCOME_MARKS,
  OUTCOME_WORDS,
  PAGE_SIZE,
  pageOf,
  queryOf,
  summaryOf,
} from './audit-words.ts';

const LOOK_MS = 15_000;

function Who({ event }: { event: AuditEvent }) {
  if (event.actor_name === null) return <span className={classes.dim}>unknown user</span>;
  return <Name>{event.actor_name}</Name>;
}

function Outcome({ event: { outcome } }: { event: AuditEvent }) {
  if (outcome === null) return <span className={classes.dim}>not shown</span>;
  return <Status mark={OUTCOME_MARKS[outcome]} label={OUTCOME_WORDS[outcome]} />;
}

function columnsOf(pathOf: (event: AuditEvent) => string): Column<AuditEvent>[] {
  return [
    {
      key: 'what',
      title: 'What',
      width: 'grow',
      render: (row) => (
        <div className={layout.cell}>
          <Link data-row-link className={classes.link} to={pathOf(row)} preventScrollReset>
            {actionWords(row.action)}
          </Link>
          {row.occurrences !== null && row.occurrences > 1 ? (
            <span className={classes.dim}> × {formatCount(row.occurrences)}</span>
          ) : null}
          <div className={layout.remark}>
            <Name oneLine>{summaryOf(row)}</Name>
          </div>
          <div className={`${layout.remark} ${layout.narrow}`}>
            <Who event={row} />
            {row.outcome === null || row.outcome === 'ok'
              ? null
              : `, ${OUTCOME_WORDS[row.outcome].toLowerCase()}`}
          </div>
        </div>
      ),
    },
    { key: 'who', title: 'Who', needs: 'medium', width: 'middle', render: (row) => <Who event={row} /> },
    {
      key: 'from',
      title: 'From',
      needs: 'wide',
      render: (row) =>
        row.address ?? <span className={classes.dim}>{row.hidden ? 'not shown' : 'not known'}</span>,
    },
    {
      key: 'outcome',
      title: 'Outcome',
      needs: 'medium',
      render: (row) => <Outcome event={row} />,
    },
    { key: 'when', title: 'When', align: 'end', width: 'min', render: (row) => <RelativeTime at={row.at} /> },
  ];
}

function Pages({ page, total }: { page: number; total: number }) {
  const [, setPage] = useUrlText('page', '1');
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  return (
    <div className={classes.foot}>
      <span role="status">
        {countOf(total, 'event')}, page {formatCount(page)} of {formatCount(last)}
      </span>
      <span className={classes.pages}>
        <Button size="xs" variant="default" disabled={page <= 1} onClick={() => setPage(String(page - 1))}>
          Newer
        </Button>
        <Button size="xs" variant="default" disabled={page >= last} onClick={() => setPage(String(page + 1))}>
          Older
        </Button>
      </span>
    </div>
  );
}

/** The start of a range moves with the filters, not with each second, so that what is read can be kept. */
function useEvents(page: number) {
  const [filters] = useFilters();
  const text = JSON.stringify(filters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the filters
  const query = useMemo(() => queryOf(filters, page, Date.now()), [text, page]);
  return useOperation('listAuditEvents', { query }, { everyMs: LOOK_MS, keepPrevious: true });
}

function Events() {
  const [pageText] = useUrlText('page', '1');
  const page = pageOf(pageText);
  const [shown, setShown] = useUrlText('event');
  const [search] = useSearchParams();
  const events = useEvents(page);
  const pathOf = (event: AuditEvent) => {
    const params = new URLSearchParams(search);
    params.set('event', String(event.id));
    return `?${params}`;
  };
  if (!events.data) return <Query query={events} what="the audit log" lines={8} padded />;
  const rows = events.data.events;
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState icon={<AuditIcon size={26} />} title="Nothing was recorded that fits">
          Take a filter away, or look at a longer time.
        </EmptyState>
      ) : (
        <DataTable
          caption="Events, newest first"
          columns={columnsOf(pathOf)}
          rows={rows}
          rowKey={(row) => String(row.id)}
          rowPath={pathOf}
        />
      )}
      <Pages page={page} total={events.data.total_count} />
      <AuditDetails event={rows.find(({ id }) => String(id) === shown)} onClose={() => setShown('')} />
    </>
  );
}

export function AuditPage() {
  return (
    <>
      <PageHeader title="Audit log" facts="What was done or refused, by whom and from where" />
      <section className={classes.table} aria-label="Audit log">
        <AuditFilters />
        <Events />
      </section>
    </>
  );
}
