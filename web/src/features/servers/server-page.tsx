// One server: its summary first, then what is known of it, each part saying what is not known and why.
import { Button } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { Link, useParams } from 'react-router';
import type { Coverage, EstateServer, ServerInfo } from '../../api/types.ts';
import { STEADY_MS, useOperation, WAITING_MS } from '../../api/use-operation.ts';
import { useUrlChoice } from '../../lib/url-state.ts';
import { EditIcon, WaitingIcon } from '../../ui/icons.ts';
import { NotFoundPage } from '../../ui/not-found-page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Query } from '../../ui/query.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { useEstate } from '../estate/use-estate.ts';
import { ProbeSettingsView } from '../probes/probe-settings-view.tsx';
import { CoverageView } from './coverage-view.tsx';
import { problemsOf } from './coverage-words.ts';
import { ExtensionsView } from './extensions-view.tsx';
import { Overview } from './overview.tsx';
import { ServerNotices } from './server-notices.tsx';
import classes from './server-page.module.css';
import { SettingsView } from './settings-view.tsx';
import { SummaryStrip } from './summary-strip.tsx';
import { useCoverage } from './use-coverage.ts';

const TABS = ['overview', 'activity', 'settings', 'extensions', 'coverage', 'probes'] as const;

/** Charts are code of their own, fetched once a server is open. */
const loadActivity = () => import('../activity/activity-view.tsx');
const ActivityView = lazy(async () => ({ default: (await loadActivity()).ActivityView }));

export interface ServerFacts {
  info: ServerInfo;
  coverage: Coverage | undefined;
  server: EstateServer | undefined;
}

function tabsOf(info: ServerInfo, coverage: Coverage | undefined): Tab[] {
  const problems = coverage ? problemsOf(coverage).length : 0;
  return [
    { key: 'overview', title: 'Overview' },
    { key: 'activity', title: 'Activity' },
    { key: 'settings', title: 'Key settings', count: info.key_settings.length || undefined },
    { key: 'extensions', title: 'Extensions', count: info.extensions.length || undefined },
    {
      key: 'coverage',
      title: 'Coverage',
      ...(problems > 0 ? { count: problems, attention: 'not collected' } : {}),
    },
    { key: 'probes', title: 'Probes' },
  ];
}

function Sections({ facts }: { facts: ServerFacts }) {
  const [tab] = useUrlChoice('tab', TABS, 'overview');
  const { info, coverage } = facts;
  useEffect(() => void loadActivity().catch(() => undefined), []);
  const waiting = info.collected_at === null && tab !== 'coverage' && tab !== 'probes';
  return (
    <>
      <Tabs label="Parts of the server" tabs={tabsOf(info, coverage)} here={tab} />
      {waiting ? (
        <div className={classes.waiting}>
          <EmptyState icon={<WaitingIcon size={26} />} title="Nothing was collected yet">
            {facts.server?.is_monitored === false
              ? 'The server is not monitored, so nothing is read from it.'
              : 'The first facts stand here a few seconds after the server was reached.'}
          </EmptyState>
        </div>
      ) : null}
      {!waiting && tab === 'overview' ? <Overview facts={facts} /> : null}
      {!waiting && tab === 'activity' ? (
        <Suspense fallback={<Loading what="the charts" lines={8} />}>
          <ActivityView id={info.connection_id} />
        </Suspense>
      ) : null}
      {!waiting && tab === 'settings' ? (
        <SettingsView settings={info.key_settings} at={info.sections_collected_at?.key_settings} />
      ) : null}
      {!waiting && tab === 'extensions' ? (
        <ExtensionsView extensions={info.extensions} at={info.sections_collected_at?.extensions} />
      ) : null}
      {tab === 'probes' ? <ProbeSettingsView id={info.connection_id} coverage={coverage} /> : null}
      {tab === 'coverage' ? <CoverageView id={info.connection_id} /> : null}
    </>
  );
}

/** Quicker until the first facts are there. */
function interval(info: ServerInfo | undefined): number {
  return info?.collected_at === null ? WAITING_MS : STEADY_MS;
}

function ServerById({ id }: { id: number }) {
  const estate = useEstate();
  const info = useOperation('getServerInfo', { params: { connection_id: id } }, { everyMs: interval });
  // Who may not see the server is refused once.
  const coverage = useCoverage(id, { enabled: info.data !== undefined });
  const server = estate.data?.servers.find((one) => one.connection_id === id);
  const title = server?.name ?? `Server ${id}`;
  if (info.data === undefined || info.error?.status === 403) {
    return (
      <>
        <PageHeader title={title} facts={'\u00a0'} />
        <div className={classes.waiting}>
          <Query query={{ ...info, data: undefined }} what="this server" lines={8} padded>
            {() => null}
          </Query>
        </div>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={title}
        facts={
          server
            ? `${server.host}:${server.port}${server.description ? ` · ${server.description}` : ''}`
            : '\u00a0'
        }
        {...(server?.may_manage
          ? {
              actions: (
                <Button
                  component={Link}
                  to={`/servers/${id}/edit`}
                  variant="default"
                  leftSection={<EditIcon size={16} />}
                >
                  Edit
                </Button>
              ),
            }
          : {})}
      />
      <ServerNotices server={server} infoError={info.error} />
      <SummaryStrip server={server} info={info.data} />
      <Sections facts={{ info: info.data, coverage: coverage.data, server }} />
    </>
  );
}

export function ServerPage() {
  const { id = '' } = useParams();
  const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : 0;
  if (number === 0 || number > 2_147_483_647) return <NotFoundPage />;
  return <ServerById key={number} id={number} />;
}
