// The databases of a server that is looked at once, and why some of them cannot be entered.
import { keptBack } from '../probes/requirements/platforms.ts';
import { runPipeline } from './pipeline.ts';
import type { Session } from './session.ts';
import { DATABASES } from './target.queries.ts';

const ROSTER_REPLY = { columns: 8, rows: 10_001, bytes: 8 * 1024 * 1024 };

export interface Database {
  name: string;
  /** Object id; null: the databases could not be listed. */
  id: string | null;
  /** Why it cannot be entered; null: it can. */
  obstacle: string | null;
}

export async function rosterOf(session: Session): Promise<Database[]> {
  const [answer] = await runPipeline(session, [{ text: DATABASES, how: ROSTER_REPLY }]);
  if (answer?.kind !== 'answered') return [{ name: session.database, id: null, obstacle: null }];
  const ordinary = answer.rows.filter(({ is_template }) => is_template !== true);
  return ordinary.map((row) => {
    const isOpen = row.allows_connections === true && row.connection_limit !== 0;
    const mayEnter = isOpen && row.may_connect === true && row.connection_limit !== -2;
    const kept = keptBack(String(row.datname));
    const why = isOpen ? 'Our role may not connect to it.' : 'It allows no connections.';
    return { name: String(row.datname), id: String(row.dbid), obstacle: kept ?? (mayEnter ? null : why) };
  });
}
