// In how many days something runs out, of many servers: the dates that are kept (runway.ts finds them), as values of metrics. One
// statement. Guards: a value is of when it was found; what does not grow has none; of what is unknown the value is null, or the
// fewest days that it can be; a kind that could not be looked at is told from one of which there is nothing.
import type { Db } from '../../kernel/db.ts';
import { DAY_MS } from '../../kernel/units.ts';
import type { DatedKind } from '../../probes/metric-types.ts';
import type { Probe } from '../../probes/types.ts';
import { isCurrent } from '../../store/layout/intervals.ts';
import type { MetricValue } from '../newest/newest.types.ts';
import { type DaysLeftRow, keptDaysLeft } from './days-left.queries.ts';
import { kindsOf, RUNWAY_SECONDS } from './runway-kinds.ts';

/** Of kinds of many objects each goes by the key of its probe. */
const probeOf = new Map<DatedKind | null, Probe>();
for (const { kind, probe } of kindsOf)
  if (kind !== 'tablespace' && kind !== 'statements') probeOf.set(kind, probe);

/** Whether dates that were found then still say what is so now (milliseconds since the epoch). */
export const isDateCurrent = (found_at: number, now: number): boolean =>
  isCurrent(found_at, now, RUNWAY_SECONDS);

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

function saidOf({ ends_at, earliest, latest, limited_by, reason }: DaysLeftRow): string {
  if (ends_at === null) return `earliest ${dayOf(earliest ?? 0)}`;
  if (reason !== null) return reason.replace(/\.$/, '');
  const band = [
    earliest !== null && dayOf(earliest) < dayOf(ends_at) ? `earliest ${dayOf(earliest)}` : '',
    latest !== null && dayOf(latest) > dayOf(ends_at) ? `latest ${dayOf(latest)}` : '',
  ].filter((part) => part !== '');
  const limit = limited_by === null ? '' : `; limit: ${limited_by}`;
  return `${[`expected ${dayOf(ends_at)}`, ...band].join(', ')}${limit}`;
}

/** What names it: the database beside the sequence, else the key of its probe. */
function placeOf(kind: DatedKind, { database_name, object }: DaysLeftRow) {
  const [key] = (probeOf.get(kind)?.columns ?? []).filter((column) => column.kind === 'key');
  const name = kind === 'sequence' ? object : (object ?? database_name);
  return {
    database_name: kind === 'sequence' ? (database_name ?? '') : '',
    object: name === null || !key || kind === 'connections' ? {} : { [key.name]: name },
  };
}

function valueFrom(kind: DatedKind, row: DaysLeftRow): MetricValue | undefined {
  const { connection_id, found_at, state, ends_at, earliest, reason } = row;
  if (state === 'not_growing') return undefined;
  const place = { connection_id, ...placeOf(kind, row), at: new Date(found_at).toISOString() };
  const end = ends_at ?? earliest;
  if (end === null) return { ...place, value: null, ...(reason !== null && { says: reason }) };
  const value = Math.max(0, end - found_at) / DAY_MS;
  return { ...place, value, says: saidOf(row), ...(ends_at === null && { isAtLeast: true as const }) };
}

/** A kind that could not be looked at as a whole has one row that names nothing. */
const isOfWhole = ({ state, used, object, database_name }: DaysLeftRow) =>
  state === 'unknown' && used === null && object === null && database_name === null;

export interface DaysLeft {
  /** By kind. */
  values: ReadonlyMap<DatedKind, readonly MetricValue[]>;
  /** When it was found of a connection, in milliseconds since the epoch. */
  foundAt: ReadonlyMap<number, number>;
  /** Why nobody knows anything of a kind on a connection; undefined: somebody does, or there is none of it. */
  whyUnknown(connection_id: number, kind: DatedKind): string | undefined;
}

export async function readDaysLeft(
  db: Db,
  { connection_ids, kinds }: { connection_ids: readonly number[]; kinds: readonly DatedKind[] },
): Promise<DaysLeft> {
  const rows = await db.rows<DaysLeftRow>(keptDaysLeft(connection_ids, kinds));
  const values = new Map<DatedKind, MetricValue[]>(kinds.map((kind) => [kind, []]));
  const unknown = new Map<string, string>();
  for (const row of rows) {
    if (row.kind === null) continue;
    if (isOfWhole(row)) unknown.set(`${row.connection_id} ${row.kind}`, row.reason ?? 'It is not known.');
    const value = isOfWhole(row) ? undefined : valueFrom(row.kind, row);
    if (value) values.get(row.kind)?.push(value);
  }
  return {
    values,
    foundAt: new Map(rows.map(({ connection_id, found_at }) => [connection_id, found_at])),
    whyUnknown: (connection_id, kind) => unknown.get(`${connection_id} ${kind}`),
  };
}
