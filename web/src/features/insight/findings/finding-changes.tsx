// What else was different when a finding came up: changes of the day before on its server, and the ways to that moment.

import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { DAY_MS, MINUTE_MS } from '../../../lib/units.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { Changes } from '../../alerting/alerts/alert-evidence.tsx';
import { momentPaths } from '../../alerting/alerts/alert-links.ts';
import type { Finding } from './finding-words.ts';
import classes from './findings.module.css';

const MOST = 10;
const STALE_MS = 60_000;

export function FindingChanges({ finding: { connection_id, opened_at } }: { finding: Finding }) {
  const opened = Date.parse(opened_at);
  const query = {
    connection_id,
    start_time: new Date(opened - DAY_MS).toISOString(),
    end_time: new Date(opened + MINUTE_MS).toISOString(),
    limit: MOST,
  };
  const changes = useOperation('listChanges', { query }, { staleMs: STALE_MS });
  return (
    <Panel title="What changed then" note="on its server, in the day before it was found">
      <Query query={changes} what="what changed" lines={3}>
        {(found) => <Changes changes={found} />}
      </Query>
      <ul className={classes.links}>
        {momentPaths({ connection_id, triggered_at: opened_at }).map(({ path, words }) => (
          <li key={path}>
            <Link className="link" to={path}>
              {words}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
