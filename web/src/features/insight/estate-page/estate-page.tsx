// The estate: every visible server in one table, what hurts most first, live; beside it what is going on and what changed.
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { Estate, EstateServer } from '../../../api/types.ts';
import { LIVE_MS } from '../../../api/use-operation.ts';
import { countOf, formatBytes } from '../../../lib/format.ts';
import { AddIcon, ServerIcon } from '../../../ui/icons.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Query } from '../../../ui/query.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { stateKey } from '../../estate/estate/server-state.ts';
import { useEstate } from '../../estate/estate/use-estate.ts';
import { FirstRun } from '../../estate/first-run/first-run.tsx';
import { mayManageConnections, useUser } from '../../identity/auth/use-user.ts';
import { OverviewStrip } from '../overview/overview-strip.tsx';
import { EstateChanges } from '../timeline/estate-changes.tsx';
import classes from './estate-page.module.css';
import { EstateTable } from './estate-table.tsx';

function summary(estate: Estate): string {
  const { servers } = estate;
  const count = (...states: string[]) => servers.filter((one) => states.includes(stateKey(one))).length;
  const size = servers.reduce((sum, server) => sum + (server.size_bytes ?? 0), 0);
  const trouble = count('failing', 'offline', 'warning');
  const parts = [
    countOf(servers.length, 'server'),
    `${count('online')} online`,
    ...(trouble > 0 ? [`${trouble} not answering`] : []),
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
        ? 'Add the first PostgreSQL server. Its facts appear here a few seconds later.'
        : 'You have no access to any server. An administrator can give it to you.'}
    </EmptyState>
  );
}

/** The servers, and beside them what is going on with all of them; where there is no room beside, the table comes between the two. */
function Servers({ servers }: { servers: readonly EstateServer[] }) {
  return (
    <div className={classes.around}>
      <div className={classes.layout}>
        <div className={classes.overview}>
          <OverviewStrip />
        </div>
        <EstateTable servers={servers} />
        <div className={classes.changes}>
          <EstateChanges />
        </div>
      </div>
    </div>
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
          <Query query={estate} what="the servers" lines={7} padded />
        </section>
      ) : servers.length === 0 ? (
        <section className={classes.table} aria-label="Servers">
          <NoServers mayAdd={mayAdd} />
        </section>
      ) : (
        <Servers servers={servers} />
      )}
      {mayAdd && servers?.length === 1 ? <FirstRun /> : null}
    </>
  );
}
