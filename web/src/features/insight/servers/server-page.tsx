// One server: its summary first, then what is known of it, each part saying what is not known and why.
import { Suspense, useEffect, useSyncExternalStore } from 'react';
import { useParams } from 'react-router';
import type { ServerInfo } from '../../../api/types.ts';
import { useOperation, WAITING_MS } from '../../../api/use-operation.ts';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { type Range, usualRange } from '../../../lib/time-window.ts';
import { useUrlChoice } from '../../../lib/url-state.ts';
import { UsualRange } from '../../../lib/use-time-window.ts';
import { WaitingIcon } from '../../../ui/icons.ts';
import { NotFoundPage } from '../../../ui/not-found-page.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Query } from '../../../ui/query.tsx';
import { EmptyState, Loading } from '../../../ui/states.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { BlackoutNotice } from '../../alerting/blackouts/blackout-notice.tsx';
import { useEstate } from '../../estate/estate/use-estate.ts';
import { useCoverage } from '../../history/coverage/use-coverage.ts';
import { useFindingCounts } from '../finding-counts/use-finding-counts.ts';
import { ServerBar } from './server-bar.tsx';
import { ServerNotices } from './server-notices.tsx';
import classes from './server-page.module.css';
import { SERVER_TABS, type ServerFacts } from './server-tabs.tsx';

const KEYS = SERVER_TABS.map(({ key }) => key);

/** The part that is open has the browser to itself for so long. */
const FIRST_PART_MS = 2000;

/** The other parts open at once, also while Matriarch is away. */
function fetchPartsAhead(): () => void {
  const quietly = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 300));
  const timer = setTimeout(
    () => quietly(() => void Promise.allSettled(SERVER_TABS.map(({ load }) => load?.()))),
    FIRST_PART_MS,
  );
  return () => clearTimeout(timer);
}

/** The code of the part that an address names, before anything of the server is known. */
export function fetchPart(search: string): void {
  const key = new URLSearchParams(search).get('tab') ?? KEYS[0];
  // A failure is met again, and told, when the part is shown.
  SERVER_TABS.find((one) => one.key === key)
    ?.load?.()
    .catch(() => undefined);
}

function Sections({ facts }: { facts: ServerFacts }) {
  const [here] = useUrlChoice('tab', KEYS, 'overview');
  const tab = SERVER_TABS.find(({ key }) => key === here);
  useEffect(fetchPartsAhead, []);
  const tabs = SERVER_TABS.map(({ key, title, isFirst, mark }) => ({
    key,
    title,
    isFirst,
    ...mark?.(facts),
  }));
  const isWaiting = facts.info.collected_at === null && tab?.isAlways !== true;
  return (
    <>
      <Tabs label="Parts of the server" tabs={tabs} here={here} />
      {isWaiting || !tab ? (
        <div className={classes.waiting}>
          <EmptyState icon={<WaitingIcon size={26} />} title="Nothing was collected yet">
            {facts.server?.is_monitored === false
              ? 'The server is not monitored, so nothing is read from it.'
              : 'The first facts appear a few seconds after the server is reached.'}
          </EmptyState>
        </div>
      ) : (
        <Suspense fallback={<Loading what={tab.title.toLowerCase()} lines={8} />}>
          <tab.View facts={facts} />
        </Suspense>
      )}
    </>
  );
}

const NO_FINDINGS = { critical: 0, warning: 0, info: 0, unknown: 0 };

/** Facts seldom change; whether the server answers is read with the estate. */
const FACTS_MS = 60_000;

/** Quicker until the first facts are there. */
function interval(info: ServerInfo | undefined): number {
  return info?.collected_at === null ? WAITING_MS : FACTS_MS;
}

/** A server that was just added is shown from about its beginning on; the range grows with it. */
function useUsualRange(createdAt: string | undefined): Range {
  const since = createdAt === undefined ? 0 : Date.parse(createdAt);
  return useSyncExternalStore(subscribeToSeconds, () => usualRange(currentSecond() * 1000 - since));
}

function ServerById({ id }: { id: number }) {
  const estate = useEstate();
  const info = useOperation('getServerInfo', { params: { connection_id: id } }, { everyMs: interval });
  // Who may not see the server is refused once.
  const coverage = useCoverage(id, { enabled: info.data !== undefined, isCounted: true });
  const server = estate.data?.servers.find((one) => one.connection_id === id);
  const counts = useFindingCounts().data;
  const findings = counts?.unjudged.includes(id)
    ? undefined
    : counts && (counts.by_server[id] ?? NO_FINDINGS);
  const usual = useUsualRange(server?.created_at);
  const title = server?.name ?? `Server ${id}`;
  if (info.data === undefined || info.error?.status === 403) {
    return (
      <>
        <PageHeader title={title} facts={'\u00a0'} />
        <div className={classes.waiting}>
          <Query query={{ ...info, data: undefined }} what="this server" lines={8} padded />
        </div>
      </>
    );
  }
  return (
    <UsualRange value={usual}>
      <ServerBar title={title} server={server} info={info.data} findings={findings} />
      <ServerNotices server={server} infoError={info.error} />
      <BlackoutNotice connectionId={id} />
      <Sections facts={{ info: info.data, coverage: coverage.data, server, findings }} />
    </UsualRange>
  );
}

export function ServerPage() {
  const { id = '' } = useParams();
  const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : 0;
  if (number === 0 || number > 2_147_483_647) return <NotFoundPage />;
  return <ServerById key={number} id={number} />;
}
