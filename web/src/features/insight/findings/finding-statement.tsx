// The text of the statement that a finding is about, as it is stored, for those who may read the server; with the way to its page,
// where its figures are over time. Guards: a finding of anything else reads nothing.

import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { DAY_MS } from '../../../lib/units.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { TableChangesBefore } from '../../history/queries/statement-tables-panel.tsx';
import type { FindingDetail } from './finding-words.ts';
import classes from './findings.module.css';

/** Undefined where it is about no statement. */
function statementOf({ finding, evidence }: FindingDetail): string | undefined {
  const { queryid } = evidence;
  const isOne = finding.category === 'statements' && typeof queryid === 'string';
  return isOne && /^-?\d{1,19}$/.test(queryid) ? queryid : undefined;
}

function Statement({ detail: { finding }, queryid }: { detail: FindingDetail; queryid: string }) {
  const { connection_id: id, figured_at, opened_at } = finding;
  const window = {
    start_time: new Date(Date.parse(figured_at) - DAY_MS).toISOString(),
    end_time: figured_at,
  };
  const found = useOperation('getQueryDetail', { params: { id, queryid }, query: { ...window, buckets: 1 } });
  const page = new URLSearchParams({ from: window.start_time, to: window.end_time });
  return (
    <Panel
      title="The statement"
      note={
        <Link className="link" to={`/servers/${id}/queries/${queryid}?${page}`}>
          Its figures in the day before
        </Link>
      }
    >
      <Query query={found} what="the statement" lines={4}>
        {({ query }) =>
          query === null ? (
            <p className={classes.reason}>
              <Unknown /> Its text was not read yet.
            </p>
          ) : (
            <CodeBlock
              code={query}
              label="As the server keeps it, without its constants"
              fileName={`${queryid}.sql`}
            />
          )
        }
      </Query>
      <TableChangesBefore id={id} queryid={queryid} at={opened_at} />
    </Panel>
  );
}

export function FindingStatement({ detail }: { detail: FindingDetail }) {
  const queryid = statementOf(detail);
  return queryid === undefined ? null : <Statement detail={detail} queryid={queryid} />;
}
