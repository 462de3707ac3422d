// What changed on the servers since the same time yesterday: how many of each kind, and the way to them.
import { Link } from 'react-router';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { countOf } from '../../../lib/format.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import classes from '../../history/changes/timeline.module.css';
import { KIND_WORDS, KINDS, type Kind, kindOf } from '../../history/changes/timeline-words.ts';
import { useDayChanges } from './use-day-changes.ts';

type Result = OperationTypes['listChanges']['result'];
type Event = Result['kinds'][number]['events'][number];

interface KindCount {
  kind: Kind;
  count: number;
  newest: Event | undefined;
}

/** By the kinds of the timeline; those of which there is nothing are left out. */
function countsOf({ kinds }: Result): KindCount[] {
  return KINDS.flatMap((kind) => {
    const own = kinds.filter(({ event_type }) => kindOf(event_type) === kind);
    const count = own.reduce((sum, { total_count }) => sum + (total_count ?? 0), 0);
    const events = own.flatMap((one) => one.events);
    const [newest] = events.toSorted((a, b) => Date.parse(b.occurred_at) - Date.parse(a.occurred_at));
    return count === 0 ? [] : [{ kind, count, newest }];
  });
}

function Counted({ counts }: { counts: readonly KindCount[] }) {
  return (
    <ul className={classes.kinds}>
      {counts.map(({ kind, count, newest }) => (
        <li key={kind} className={classes.kindLine}>
          <Link className="link" to={`/timeline?kinds=${kind}`}>
            {KIND_WORDS[kind]}
          </Link>
          <span className={classes.count}>{countOf(count, 'event')}</span>
          {newest ? (
            <p className={classes.newest} title={newest.summary}>
              {newest.server_name}, <RelativeTime at={newest.occurred_at} />: {newest.title}
            </p>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function Slower({ slower: { statements, total_count } }: { slower: Result['slower_statements'] }) {
  const [first] = statements;
  if (!first || total_count === null || total_count === 0) return null;
  return (
    <p className={classes.reasons}>
      {countOf(total_count, 'statement')} became slower, most of all one on{' '}
      <Link className="link" to={`/servers/${first.connection_id}?tab=queries&range=24h`}>
        {first.server_name}
      </Link>
      .
    </p>
  );
}

/** What is not told, each reason once. */
const reasonsOf = ({ kinds, slower_statements }: Result): string[] => [
  ...new Set([...kinds, slower_statements].flatMap(({ reason }) => reason ?? [])),
];

export function EstateChanges() {
  const changes = useDayChanges();
  return (
    <div className={classes.since}>
      <Panel
        title="What changed since yesterday"
        actions={
          <Link className="link" to="/timeline">
            Timeline
          </Link>
        }
      >
        <Query query={changes} what="what changed" lines={2}>
          {(result) => {
            const counts = countsOf(result);
            return (
              <>
                {counts.length === 0 ? (
                  <p className={classes.quiet}>Nothing that is watched was seen to change.</p>
                ) : (
                  <Counted counts={counts} />
                )}
                <Slower slower={result.slower_statements} />
                {reasonsOf(result).map((reason) => (
                  <p key={reason} className={classes.reasons}>
                    {reason}
                  </p>
                ))}
              </>
            );
          }}
        </Query>
      </Panel>
    </div>
  );
}
