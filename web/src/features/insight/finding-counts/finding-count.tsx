// The number of open findings: beside a word of the navigation those that ask for attention, and of one server as the way
// to all of them.
import { Link } from 'react-router';
import { formatCount } from '../../../lib/format.ts';
import classes from '../../../ui/count.module.css';
import { FindingIcon } from '../../../ui/icons.ts';
import {
  allOf,
  countWords,
  findingsPath,
  graveOf,
  type ServerFindingCounts,
  useFindingCounts,
} from './use-finding-counts.ts';

/** Nothing where none is critical or a warning. */
export function FindingTotal() {
  const counts = useFindingCounts().data;
  const total = counts ? graveOf(counts) : 0;
  if (total === 0) return null;
  return (
    <>
      {' '}
      <span
        className={classes.total}
        data-tone={counts && counts.critical > 0 ? 'bad' : 'warn'}
        title={counts && `Critical and warnings. Open findings: ${countWords(counts)}`}
      >
        {formatCount(total)} <span className="visually-hidden">to look at</span>
      </span>
    </>
  );
}

const toneOf = ({ critical, warning }: ServerFindingCounts): 'bad' | 'warn' | 'quiet' =>
  critical > 0 ? 'bad' : warning > 0 ? 'warn' : 'quiet';

interface OfServer {
  connectionId: number;
  counts: ServerFindingCounts | undefined;
}

export function ServerFindingCount({ connectionId, counts }: OfServer) {
  if (counts === undefined || allOf(counts) === 0) return null;
  return (
    <Link
      className={classes.link}
      data-tone={toneOf(counts)}
      to={findingsPath(connectionId)}
      title={`Findings: ${countWords(counts)}`}
    >
      <FindingIcon size={12} aria-hidden="true" />
      {formatCount(allOf(counts))} <span className="visually-hidden">findings: {countWords(counts)}</span>
    </Link>
  );
}
