// A list of findings with what to say where there is none: that all is well only of what was judged.
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { countOf, formatCount } from '../../../lib/format.ts';
import { OkIcon, SearchIcon, WaitingIcon } from '../../../ui/icons.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { FindingTable } from './finding-table.tsx';
import type { Finding, UnknownCheck } from './finding-words.ts';
import classes from './findings.module.css';
import { type FindingFilters, isNarrowed, NO_FILTERS, useFindingFilters } from './use-findings.ts';

const ChecksLink = () => (
  <Link className="link" to="/findings/checks">
    All checks
  </Link>
);

export interface ListedFinding {
  /** Null: not judged yet. */
  at: string | null;
  /** What was judged, as a sentence. */
  words: string;
}

/** "60 checks apply to this server and found nothing else. 2 of them could not be judged everywhere." */
export function judgedWords(checks: number, unknown: readonly UnknownCheck[]): string {
  const missing = new Set(unknown.map(({ check }) => check)).size;
  const all = `${countOf(checks, 'check')} ${checks === 1 ? 'applies' : 'apply'} to this server`;
  return missing === 0
    ? `${all}, and all were judged.`
    : `${all}; ${formatCount(missing)} of them could not be judged everywhere.`;
}

/** Of estates and clusters: how many servers were judged, and by how many checks. */
export function serversWords(
  judged: number,
  { waiting, checks }: { waiting: number; checks: number | undefined },
) {
  const by = checks === undefined ? '' : ` by ${countOf(checks, 'check')}`;
  const were = judged === 1 ? 'was' : 'were';
  const waits =
    waiting === 0 ? '' : `; ${countOf(waiting, 'server')} ${waiting === 1 ? 'waits' : 'wait'} for it`;
  return `${countOf(judged, 'server')} ${were} judged${by}${waits}.`;
}

function None({ judged, filters }: { judged: ListedFinding; filters: FindingFilters }) {
  const [, set] = useFindingFilters();
  if (isNarrowed(filters))
    return (
      <EmptyState
        icon={<SearchIcon size={26} />}
        title={filters.state === 'open' ? 'No such finding is open' : `No such finding is ${filters.state}`}
        action={
          <Button variant="default" size="xs" onClick={() => set(NO_FILTERS)}>
            Show all that are open
          </Button>
        }
      >
        {judged.words}
      </EmptyState>
    );
  if (judged.at === null)
    return (
      <EmptyState icon={<WaitingIcon size={26} />} title="Nothing was judged yet">
        {judged.words}
      </EmptyState>
    );
  return (
    <EmptyState icon={<OkIcon size={26} />} title="All is well: nothing was found" action={<ChecksLink />}>
      {judged.words} The oldest judgement is of <RelativeTime at={judged.at} />.
    </EmptyState>
  );
}

export interface FindingListProps {
  findings: readonly Finding[];
  total: number;
  filters: FindingFilters;
  ofServer: boolean;
  judged: ListedFinding;
}

export function FindingList({ findings, total, filters, ofServer, judged }: FindingListProps) {
  if (findings.length === 0) return <None judged={judged} filters={filters} />;
  return (
    <>
      {total > findings.length ? (
        <p className={classes.more}>
          The worst {formatCount(findings.length)} of {formatCount(total)}. Choose filters to see the others.
        </p>
      ) : null}
      <FindingTable findings={findings} state={filters.state} ofServer={ofServer} />
    </>
  );
}

export const titleOf = ({ state }: FindingFilters): string =>
  ({ open: 'Open findings', muted: 'Muted findings', resolved: 'Resolved findings' })[state];
