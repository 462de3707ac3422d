// Which session is meant where a value is the age of one, such as the longest idle in transaction, for the text of its alert: the
// reader ends that session. Guards: read only for servers where such a rule may fire; only the sample that was judged is looked at.
import type { Db } from '../../kernel/db.ts';
import type { Condition } from '../../probes/metric-types.ts';
import type { Metric } from '../../probes/metrics.ts';
import { probe as activity } from '../../probes/pg-stat-activity.ts';
import { type Newest, newest } from '../../store/read/doors/newest.ts';
import type { KnownRule } from '../alert-rules/known-rules.service.ts';
import { nameIn, type RuleReadings, serversOf, withDetails } from './reading-details.ts';

const isOneOf = (cells: readonly unknown[], cell: unknown) => cells.includes(cell ?? null);

/** Conditions of other forms are of no age. */
function meets({ row }: Newest, condition: Condition): boolean {
  if ('in' in condition) return isOneOf(condition.in, row[condition.column]);
  return !('notIn' in condition) || !isOneOf(condition.notIn, row[condition.column]);
}

/** Such as `The session is PID 30444 of "payroll-import"`. */
function wordsOf({ row }: Newest): string {
  const [application, user] = [row.application_name, row.usename].map(nameIn);
  const of = application ? ` of "${application}"` : user ? ` of user "${user}"` : '';
  return `The session is PID ${String(row.pid)}${of}`;
}

type Age = Extract<Metric['value'], { kind: 'age' }>;

const timeOf = (cell: unknown): number => (typeof cell === 'string' ? Date.parse(cell) : Number.NaN);

/** The one that began first, of each server. */
function oldestOf(rows: readonly Newest[], { since, where }: Age): Map<number, Newest> {
  const found = new Map<number, Newest>();
  for (const one of rows) {
    const at = timeOf(one.row[since]);
    if (Number.isNaN(at) || !where.every((condition) => meets(one, condition))) continue;
    const before = found.get(one.connection_id);
    if (!before || at < timeOf(before.row[since])) found.set(one.connection_id, one);
  }
  return found;
}

/** One statement, and none while no such rule may fire. */
export async function withSessions(
  db: Db,
  { metric: { value } }: KnownRule,
  found: RuleReadings,
): Promise<RuleReadings> {
  if (value.kind !== 'age' || found.readings.size === 0) return found;
  const connection_ids = serversOf(found);
  const of = value.where.flatMap((condition) => ('column' in condition ? [condition.column] : []));
  const columns = [...new Set(['pid', 'application_name', 'usename', value.since, ...of])];
  const rows = await newest(db, { probe: activity, columns, connection_ids });
  const oldest = oldestOf(rows, value);
  return withDetails(found, ({ connection_id, reading }) => {
    const session = oldest.get(connection_id);
    const isOfThen = session && Date.parse(session.collected_at ?? '') === reading.at;
    return isOfThen ? { says: wordsOf(session) } : {};
  });
}
