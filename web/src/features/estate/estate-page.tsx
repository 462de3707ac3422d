// The estate: every visible server in one table, worst first, live.
import { Button } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { Link } from 'react-router';
import type { Estate, EstateServer } from '../../api/types.ts';
import { LIVE_MS } from '../../api/use-operation.ts';
import { countOf, formatBytes } from '../../lib/format.ts';
import { parseSort, sortText } from '../../lib/sort.ts';
import { useUrlText } from '../../lib/url-state.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AddIcon, SearchIcon, ServerIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Query } from '../../ui/query.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useAlertCounts } from '../alert-counts/use-alert-counts.ts';
import { mayManageConnections, useUser } from '../auth/use-user.ts';
import { useFindingCounts } from '../finding-counts/use-finding-counts.ts';
import { FirstRun } from '../first-run/first-run.tsx';
import { columnsOf, SORT_KEYS, WORST_FIRST } from './estate-columns.tsx';
import classes from './estate-page.module.css';
import { BY_NAME, matches, stateKey } from './server-state.ts';
import { useEstate } from './use-estate.ts';

/** Code of its own: the table of servers does not wait for it. */
const EstateChanges = lazy(async () => ({
  default: (await import('../timeline/estate-changes.tsx')).EstateChanges,
}));

const OverviewStrip = lazy(async () => ({
  default: (await import('../overview/overview-strip.tsx')).OverviewStrip,
}));

const EstateHistory = lazy(async () => ({
  default: (await import('./estate-history.tsx')).EstateHistory,
}));

function summary(estate: Estate): string {
  const { servers } = estate;
  const count = (...states: string[]) => servers.filter((one) => states.includes(stateKey(one))).length;
  const size = servers.reduce((sum, server) => sum + (server.size_bytes ?? 0), 0);
  const trouble = count('failing', 'offline', 'warning');
  const parts = [
    countOf(servers.length, 'server'),
    trouble === 0 ? `${count('online')} online` : `${trouble} ${trouble === 1 ? 'needs' : 'need'} attention`,
    ...(size > 0 ? [`${formatBytes(size)} in all`] : []),
  ];
  return parts.join(' · ');
}

function AddButton() {
  return (
    <Button component={Link} to="/servers/new" leftSection={<AddIcon size={16} />}>
      Add a server
    </Button>
  );
}

function NoServers({ mayAdd }: { mayAdd: boolean }) {
  return (
    <EmptyState
      icon={<ServerIcon size={26} />}
      title="No server to see yet"
      {...(mayAdd ? { action: <AddButton /> } : {})}
    >
      {mayAdd
        ? 'Add the first PostgreSQL server; facts about it stand here a few seconds later.'
        : 'No server was shared with you. An administrator can give you access to some.'}
    </EmptyState>
  );
}

function EstateTable({ servers }: { servers: readonly EstateServer[] }) {
  const [sort, setSort] = useUrlText('sort');
  const [search, setSearch] = useUrlText('q');
  const found = servers.filter((server) => matches(server, search));
  const alerts = useAlertCounts().data?.by_server;
  const { by_server: findings, unjudged } = useFindingCounts().data ?? {};
  const columns = useMemo(() => columnsOf({ alerts, findings, unjudged }), [alerts, findings, unjudged]);
  return (
    <section className={classes.table} aria-label="Servers">
      <div className={classes.tools}>
        <SearchField label="Search servers" value={search} onChange={setSearch} />
        <span className={classes.found} role="status">
          {search ? `${found.length} of ${countOf(servers.length, 'server')}` : null}
        </span>
      </div>
      {found.length === 0 ? (
        <EmptyState
          icon={<SearchIcon size={26} />}
          title="No server matches"
          action={
            <Button variant="default" size="xs" onClick={() => setSearch('')}>
              Clear the search
            </Button>
          }
        >
          Name, description, host, version, role, owner and status are searched.
        </EmptyState>
      ) : (
        <DataTable
          caption="Servers with their state"
          columns={columns}
          rows={found}
          rowKey={(server) => String(server.connection_id)}
          rowPath={(server) => `/servers/${server.connection_id}`}
          sort={parseSort(sort, SORT_KEYS, WORST_FIRST)}
          onSort={(next) => {
            const text = sortText(next);
            setSort(text === sortText(WORST_FIRST) ? '' : text);
          }}
          ties={BY_NAME}
        />
      )}
    </section>
  );
}

const TABS = [
  { key: 'state', title: 'State' },
  { key: 'history', title: 'Last 24 hours' },
];

/** The same servers as they are now, and as they were for a day. */
function Views({ servers }: { servers: readonly EstateServer[] }) {
  const [tab] = useUrlText('tab');
  const isHistory = tab === 'history';
  return (
    <>
      <Tabs tabs={TABS} here={isHistory ? 'history' : 'state'} label="What is shown of the servers" />
      {isHistory ? (
        <Suspense fallback={null}>
          <EstateHistory servers={servers} />
        </Suspense>
      ) : (
        <EstateTable servers={servers} />
      )}
    </>
  );
}

export function EstatePage() {
  const estate = useEstate(LIVE_MS);
  const mayAdd = mayManageConnections(useUser().data);
  const servers = estate.data?.servers;
  return (
    <>
      <PageHeader
        title="Estate"
        facts={estate.data && estate.data.servers.length > 0 ? summary(estate.data) : '\u00a0'}
        {...(mayAdd ? { actions: <AddButton /> } : {})}
      />
      {servers === undefined ? (
        <section className={classes.table} aria-label="Servers">
          <Query query={estate} what="the servers" lines={7} padded>
            {() => null}
          </Query>
        </section>
      ) : servers.length === 0 ? (
        <section className={classes.table} aria-label="Servers">
          <NoServers mayAdd={mayAdd} />
        </section>
      ) : (
        <>
          {/* As high as what comes, so that the table stays where it is. */}
          <Suspense fallback={<div className={classes.overview} />}>
            <OverviewStrip />
          </Suspense>
          <Views servers={servers} />
        </>
      )}
      {servers !== undefined && servers.length > 0 ? (
        <Suspense fallback={null}>
          <EstateChanges />
        </Suspense>
      ) : null}
      {mayAdd && servers?.length === 1 ? <FirstRun /> : null}
    </>
  );
}
