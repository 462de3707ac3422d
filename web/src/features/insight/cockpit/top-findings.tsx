// The gravest open findings of a server, with the way to all of them.
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { findingsPath } from '../finding-counts/use-finding-counts.ts';
import { findingPath, placeWords, SEVERITY_WORDS } from '../findings/finding-words.ts';
import classes from './cockpit.module.css';

const SHOWN = 6;
/** Judged every ten minutes, a new server more often. */
const EVERY_MS = 60_000;

export function TopFindings({ id }: { id: number }) {
  const query = { state: 'open' as const, connection_ids: String(id), limit: SHOWN };
  const found = useOperation('listFindings', { query }, { everyMs: EVERY_MS });
  const judgedAt = found.data?.servers.oldest_evaluated_at ?? null;
  return (
    <Panel
      title="Findings"
      note={
        judgedAt === null ? undefined : (
          <>
            checked <RelativeTime at={judgedAt} />
          </>
        )
      }
      actions={
        <Link className="link" to={findingsPath(id)}>
          {found.data && judgedAt !== null ? `All ${countOf(found.data.total, 'finding')}` : 'All findings'}
        </Link>
      }
    >
      <Query query={found} what="the findings" lines={6}>
        {({ findings }) =>
          findings.length === 0 ? (
            <p className={classes.quiet}>
              {judgedAt === null ? 'This server was not checked yet.' : 'No finding is open.'}
            </p>
          ) : (
            <ul className={classes.findings} aria-label="Gravest findings">
              {findings.map((finding) => (
                <li key={finding.id}>
                  <Status {...SEVERITY_WORDS[finding.severity]} iconOnly size={14} />
                  <span className={classes.words}>
                    <Link className="link" to={findingPath(finding.id)}>
                      <Name>{finding.title}</Name>
                    </Link>{' '}
                    <span className={classes.place}>
                      <Name>{placeWords(finding)}</Name>
                    </span>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Query>
    </Panel>
  );
}
