// The findings of many servers, of the estate or a cluster: what was found, of when that is, and where something could not be
// judged.
import { Button } from '@mantine/core';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { countWords, useCountsAsListed } from '../finding-counts/use-finding-counts.ts';
import { FindingDrawer } from './finding-drawer.tsx';
import { FindingList, serversWords, titleOf } from './finding-list.tsx';
import { StandsStill, UnjudgedServers } from './unjudged.tsx';
import {
  type FindingFilters,
  isNarrowed,
  NO_FILTERS,
  useChecks,
  useFindingFilters,
  useFindings,
} from './use-findings.ts';

interface ManyFindingsProps {
  filters: FindingFilters;
  /** Of these servers; absent: of all. */
  ids?: readonly number[];
  title?: string;
}

export function ManyFindings({ filters, ids, title = titleOf(filters) }: ManyFindingsProps) {
  const found = useFindings(filters, ids);
  useCountsAsListed(found, ids);
  const [, set] = useFindingFilters();
  const checks = useChecks().data?.length;
  const { judged = 0, waiting = 0, oldest_evaluated_at: oldest = null } = found.data?.servers ?? {};
  return (
    <>
      <StandsStill query={found} />
      <Panel
        title={title}
        flush
        isPlain={ids === undefined}
        actions={
          ids !== undefined && isNarrowed(filters) ? (
            <Button size="compact-sm" variant="default" onClick={() => set(NO_FILTERS)}>
              Show all that are open
            </Button>
          ) : undefined
        }
        note={
          found.data ? (
            <>
              {/* The head of the page of all findings says how many there are. */}
              {ids === undefined ? null : `${countWords(found.data.counts)}, `}
              {oldest === null ? null : (
                <>
                  the oldest judged <RelativeTime at={oldest} />
                </>
              )}
              {waiting > 0 ? `, ${waiting} not judged yet` : null}
            </>
          ) : undefined
        }
      >
        <Query query={found} what="the findings" lines={6} padded>
          {({ findings, total }) => (
            <FindingList
              findings={findings}
              total={total}
              filters={filters}
              ofServer={false}
              judged={{
                at: judged === 0 ? null : oldest,
                words:
                  judged === 0
                    ? 'The first findings appear within two minutes after a server is reached.'
                    : serversWords(judged, { waiting, checks }),
              }}
            />
          )}
        </Query>
      </Panel>
      <UnjudgedServers {...(ids && { ids })} />
      <FindingDrawer />
    </>
  );
}
