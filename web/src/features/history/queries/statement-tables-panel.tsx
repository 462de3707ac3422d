// What may make a statement slow without a word of it having changed: indexes of its tables that came and went, and their statistics.
// Guards: nothing is shown where nothing is known of its tables.
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { DAY_MS } from '../../../lib/units.ts';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import type { Timeline } from '../activity/answers.ts';
import classes from './queries.module.css';
import { type OfStatement, type TableChange, tableChanges, tableFindings } from './statement-tables.ts';

const STALE_MS = 60_000;
/** Checks of the statistics by which a table is planned. */
const CHECKS = ['statistics_stale', 'statistics_missing'] as const;

const ChangeLines = ({ changes }: { changes: readonly TableChange[] }) =>
  changes.map(({ key, words, at }) => (
    <li key={key}>
      <Name>{words}</Name>, seen <RelativeTime at={at} />
    </li>
  ));

export interface StatementTablesProps {
  id: number;
  statement: OfStatement;
  /** What happened on the server in the window of the page. */
  events: readonly Timeline['events'][number][];
}

export function StatementTables({ id, statement, events }: StatementTablesProps) {
  const [stale, missing] = CHECKS;
  const query = { connection_id: id };
  const answers = [
    useOperation('listFindings', { query: { ...query, check: stale } }, { staleMs: STALE_MS }),
    useOperation('listFindings', { query: { ...query, check: missing } }, { staleMs: STALE_MS }),
  ];
  const changes = tableChanges(events, statement);
  const findings = answers.flatMap(({ data }) => tableFindings(data?.findings ?? [], statement));
  if (changes.length === 0 && findings.length === 0) return null;
  return (
    <Panel title="Its tables" note="what may change the plan of this statement">
      <ul className={classes.tables}>
        <ChangeLines changes={changes} />
        {findings.map((finding) => (
          <li key={finding.id}>
            <Link className="link" to={`/findings/${finding.id}`}>
              {finding.title}
            </Link>
            : <Name>{finding.message}</Name>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const EVENTS = 'index_made,index_dropped,table_dropped';

export interface TableChangesProps {
  id: number;
  queryid: string;
  /** When the statement was found to be slower. */
  at: string;
}

/** Of the day before, where a statement was found to be slower. */
export function TableChangesBefore({ id, queryid, at }: TableChangesProps) {
  const window = { start_time: new Date(Date.parse(at) - DAY_MS).toISOString(), end_time: at };
  const statement = useOperation(
    'getQueryDetail',
    { params: { id, queryid }, query: { ...window, buckets: 1 } },
    { staleMs: STALE_MS },
  );
  const events = useOperation(
    'listTimelineEvents',
    { query: { connection_id: id, ...window, event_types: EVENTS, include: 'changes' } },
    { staleMs: STALE_MS },
  );
  if (!statement.data || !events.data) return null;
  const changes = tableChanges(events.data.events, statement.data);
  return changes.length === 0 ? null : (
    <div>
      <p>In the day before, indexes or tables of the statement changed:</p>
      <ul className={classes.tables}>
        <ChangeLines changes={changes} />
      </ul>
    </div>
  );
}
