// Who holds the lock that sessions of a server wait for, as the newest lock tree says, for the text of alerts about lock waits. Guards:
// read only for servers where such a rule may fire; a lock tree that is older or newer than the value by a minute says nothing.

import type { Db } from '../../kernel/db.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { probe as lockTree } from '../../probes/pg-locks-tree.ts';
import { type Newest, newest } from '../../store/read/doors/newest.ts';
import { nameIn, type RuleReadings, serversOf, withDetails } from './reading-details.ts';

const COLUMNS = [
  'pid',
  'blocking_pid',
  'root_pid',
  'blocking_application_name',
  'blocking_state',
  'blocking_gid',
];

interface Blocker {
  connection_id: number;
  at: number;
  says: string;
}

/** Such as `PID 30444 of "payroll-import", idle in transaction, blocks 3 sessions`. */
function wordsOf({ row }: Newest, waiting: number): string {
  const [application, gid, state] = [row.blocking_application_name, row.blocking_gid, row.blocking_state].map(
    nameIn,
  );
  const blocks = `blocks ${shownCount(waiting, 'session')}`;
  if (gid) return `prepared transaction "${gid}" ${blocks}`;
  const of = application ? ` of "${application}"` : '';
  return `PID ${String(row.blocking_pid)}${of}${state?.startsWith('idle') ? `, ${state},` : ''} ${blocks}`;
}

/** The root of a server behind which most sessions wait; undefined: the tree names none. */
function rootOf(rows: readonly Newest[]): Blocker | undefined {
  const behind = Map.groupBy(rows, ({ row }) => row.root_pid);
  let found: { row: Newest; waiting: number } | undefined;
  for (const [root, own] of behind) {
    const row = own.find((one) => one.row.blocking_pid === root);
    const waiting = new Set(own.map((one) => one.row.pid)).size;
    if (row && (found === undefined || waiting > found.waiting)) found = { row, waiting };
  }
  if (found === undefined) return undefined;
  const { row, waiting } = found;
  const at = Date.parse(row.collected_at ?? '');
  return { connection_id: row.connection_id, at, says: wordsOf(row, waiting) };
}

/** One statement, and none while no such rule may fire. */
export async function withBlockers(db: Db, found: RuleReadings): Promise<RuleReadings> {
  const connection_ids = serversOf(found);
  if (connection_ids.length === 0) return found;
  const rows = await newest(db, { probe: lockTree, columns: COLUMNS, connection_ids });
  const byServer = Map.groupBy(rows, ({ connection_id }) => connection_id);
  const blockers = new Map([...byServer].map(([id, own]) => [id, rootOf(own)]));
  return withDetails(found, ({ connection_id, reading }) => {
    const blocker = blockers.get(connection_id);
    return blocker && Math.abs(reading.at - blocker.at) <= MINUTE_MS ? { says: blocker.says } : {};
  });
}
