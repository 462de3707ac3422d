// The newest rows of a probe under its own names, and the objects that grew most. Invariant: rows say when they were
// collected; what is gone from the newest sample is not returned.
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { sql } from '../../kernel/sql.ts';
import type { Probe } from '../../probes/types.ts';
import { DAY_MS } from '../layout/engine/types.ts';
import { shapeOf } from '../layout/shapes.ts';
import type { Row } from '../layout/types.ts';
import { type LatestRow, latestObjects, type TopRow, topObjects } from './latest.queries.ts';
import { sourceRelation } from './packed-source.ts';
import { askedOf } from './series.ts';

export interface Latest {
  connection_id: number;
  database_name: string;
  collected_at: string;
  /** The probe's columns; counters cumulative. */
  row: Row;
}

export interface LatestQuery {
  probe: Probe;
  connection_ids: readonly number[];
  /** The present, in milliseconds since the epoch. */
  now: number;
}

interface SnapshotRows {
  connection_id: number;
  database_name: string;
  collected_at: string;
  rows: Row[] | null;
}

/** The newest sample of every database, of probes that keep their newest rows as they are. */
async function latestRows(db: Db, { probe, connection_ids }: LatestQuery): Promise<Latest[]> {
  const snapshots = await db.rows<SnapshotRows>(sql`
    /* store.latest_rows */
    select connection_id, database_name, collected_at, rows
    from metrics.current_snapshots
    where connection_id = any (${connection_ids}::integer[])
      and probe = ${probe.name}
      and collected_at is not null
    order by connection_id, database_name`);
  return snapshots.flatMap(({ rows, ...of }) => (rows ?? []).map((row) => ({ ...of, row })));
}

/** The newest rows, one statement. */
export async function latest(db: Db, query: LatestQuery): Promise<Latest[]> {
  const { probe, connection_ids, now } = query;
  const shape = shapeOf(probe);
  if (shape?.layout !== 'objects') return latestRows(db, query);
  const since = now - 2 * DAY_MS - 3000 * shape.intervalSeconds;
  const objects = await db.rows<LatestRow>(latestObjects(shape, { connection_ids, since }));
  return objects.map(({ connection_id, database_name, collected_at, key, labels, values }) => ({
    connection_id,
    database_name,
    collected_at,
    row: { ...key, ...labels, ...values },
  }));
}

export interface TopQuery {
  probe: Probe;
  /** A counter. */
  column: string;
  connection_ids: readonly number[];
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  limit: number;
}

export interface Top {
  connection_id: number;
  database_name: string;
  object_id: number;
  /** Key and label columns. */
  object: Row;
  increase: number;
  /** Share of the window in which the object's database was measured, 0 to 1. */
  coverage: number;
  tier: 'raw';
}

/** The objects that grew most within the window, by ticks, packed ones as well. */
export async function topByDelta(db: Db, query: TopQuery): Promise<Top[]> {
  const { shape, column } = askedOf(query);
  if (shape.layout !== 'objects' || column.kind !== 'counter')
    throw new Fault('bad_request', 'Only counters of objects can be ranked by their increase.');
  const { connection_ids, from, to } = query;
  const relation = await sourceRelation(db, { shape, columns: [column], connection_ids, from, to });
  const rows = await db.rows<TopRow>(topObjects(column, { ...query, rows: relation }));
  const seconds = (query.to - query.from) / 1000;
  return rows.map(({ key, labels, covered_seconds, ...rest }) => ({
    ...rest,
    object: { ...key, ...labels },
    coverage: Math.min(1, covered_seconds / seconds),
    tier: 'raw',
  }));
}
