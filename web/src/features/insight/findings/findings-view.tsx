// The findings of one server, as a part of its page: what was found, of when that is, and what could not be judged.

import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { useEstate } from '../../estate/estate/use-estate.ts';
import { countWords, useCountsAsListed } from '../finding-counts/use-finding-counts.ts';
import { FindingDrawer } from './finding-drawer.tsx';
import { FindingFilters } from './finding-filters.tsx';
import { FindingList, judgedWords, titleOf } from './finding-list.tsx';
import { StandsStill, Unjudged } from './unjudged.tsx';
import { type FindingFilters as Filters, useFindingFilters, useServerFindings } from './use-findings.ts';

/** Why nothing was judged yet. */
function useWaiting(id: number): string {
  const server = useEstate().data?.servers.find((one) => one.connection_id === id);
  if (server && !server.is_monitored) return 'The server is not monitored, so nothing of it is judged.';
  return 'The first findings appear within two minutes after the server is reached.';
}

export function ServerFindings({ id, filters }: { id: number; filters: Filters }) {
  const found = useServerFindings(id, filters);
  useCountsAsListed(found, [id]);
  const waiting = useWaiting(id);
  const at = found.data?.evaluated_at ?? null;
  return (
    <>
      <StandsStill query={found} />
      <Panel
        title={titleOf(filters)}
        flush
        isPlain
        note={
          found.data && at !== null ? (
            <>
              {countWords(found.data.counts)}, judged <RelativeTime at={at} />
            </>
          ) : undefined
        }
      >
        <Query query={found} what="the findings" lines={6} padded>
          {({ findings, total, checks, unknown, evaluated_at }) => (
            <FindingList
              findings={findings}
              total={total}
              filters={filters}
              ofServer
              judged={{
                at: evaluated_at,
                words: evaluated_at === null ? waiting : judgedWords(checks, unknown),
              }}
            />
          )}
        </Query>
      </Panel>
      {found.data ? <Unjudged unknown={found.data.unknown} /> : null}
      <FindingDrawer />
    </>
  );
}

export function FindingsView({ id }: { id: number }) {
  const [filters] = useFindingFilters();
  return (
    <div className={layout.stack}>
      <FindingFilters ofServer />
      <ServerFindings id={id} filters={filters} />
    </div>
  );
}
