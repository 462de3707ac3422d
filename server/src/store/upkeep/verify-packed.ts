// Looks into packed hours, all of them, and into the rollups of the newest ones. Guards: one hour is in memory at a
// time; nothing that is found is put right, and nothing that is tried stays.
import { type Database, type Db, errorCode, isUnreachable } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { identifier, sql } from '../../kernel/sql.ts';
import { rollupDays } from '../compact/rolled-days.ts';
import { ensurePlaces } from '../compact/tables.ts';
import { unpackSamples, unpackTicks } from '../format/hour.ts';
import type { PackedRow, Slice } from '../format/stored-rows.queries.ts';
import { packedHours } from '../format/stored-rows.queries.ts';
import { HOUR_MS, readRows } from '../format/stored-rows.ts';
import type { Engine } from '../layout/engine/types.ts';
import { gapSeconds } from '../layout/gap-rule.ts';
import { readIntervals } from '../layout/intervals.ts';
import type { Shape } from '../layout/shapes.ts';
import { isByClass, numbersOf, packedName } from '../layout/tiers.ts';
import { rollUp } from '../rollup/roll.ts';

/** A packed hour's place. */
interface Place {
  connection_id: number;
  database_name: string;
  /** Milliseconds since the epoch. */
  hour: number;
}

const BATCH = 5000;
/** Databases whose newest packed hour is rolled up anew, of each probe. */
const MOST_ROLLED = 20;

const placeName = ({ connection_id, database_name, hour }: Place) =>
  `connection ${connection_id}${database_name && ` database ${database_name}`}, ${new Date(hour).toISOString()}`;

const placesAfter = (shape: Shape, last: Place | undefined) => sql`
  /* store.verify_places */
  select p.connection_id, p.database_name, (extract(epoch from p.collected_at) * 1000)::bigint as hour
  from metrics.${identifier(packedName(shape))} p
  where (p.connection_id, p.database_name, p.collected_at) > (
    ${last?.connection_id ?? -1}::integer,
    ${last?.database_name ?? ''},
    ${new Date(last?.hour ?? 0).toISOString()}::timestamptz
  )
  order by p.connection_id, p.database_name, p.collected_at
  limit ${BATCH}`;

/** What is wrong with the rows of an hour. */
function fault(shape: Shape, row: PackedRow): string | null {
  const packed = new Map(
    row.names.flatMap((name, index): [string, Buffer][] => {
      const data = row.columns[index];
      return data ? [[name, data]] : [];
    }),
  );
  if (packed.size !== row.names.length) return 'lacks columns that its layout names';
  const isSamples = shape.layout === 'samples';
  const samples = isSamples ? unpackSamples(shape.values, packed) : [];
  const ticks = isSamples ? [] : unpackTicks(shape.values, packed);
  const rows = [
    ...samples.map(({ at, row_no }) => [at, row_no]),
    ...ticks.map(({ at, keyframe }) => [at, keyframe]),
  ];
  if (rows.length === 0) return 'holds nothing';
  const end = (row.hour + HOUR_MS) * 1000;
  if (rows.some(([at]) => !(Number(at) >= row.hour * 1000 && Number(at) < end)))
    return 'holds what is of another hour';
  if (new Set(rows.map(String)).size !== rows.length) return 'holds the same row twice';
  const ragged = ticks.some(({ ids, columns }) =>
    columns.some((cells) => cells !== null && cells.length !== 0 && cells.length !== ids.length),
  );
  return ragged ? 'has values without objects' : null;
}

/** Unpacks every hour; the first fault and how many there are. */
export async function packedProblem(db: Db, shape: Shape): Promise<string | null> {
  const faults: string[] = [];
  let last: Place | undefined;
  for (;;) {
    const places: Place[] = await db.rows<Place>(placesAfter(shape, last));
    for (const place of places) {
      const slice = { ...place, from: place.hour, to: place.hour + 1 };
      try {
        for (const row of await db.rows<PackedRow>(packedHours(packedName(shape), slice))) {
          const found = fault(shape, row);
          if (found) faults.push(`${placeName(place)} ${found}`);
        }
      } catch (error) {
        if (!(error instanceof Error) || isOfDatastore(error)) throw error;
        faults.push(`${placeName(place)} cannot be unpacked (${error.message})`);
      }
    }
    last = places.at(-1);
    if (places.length < BATCH) break;
  }
  const [first] = faults;
  return first === undefined ? null : `${faults.length} packed hours are wrong: ${first}.`;
}

const newest = (shape: Shape) => sql`
  /* store.verify_newest */
  select
    p.connection_id, p.database_name, (extract(epoch from max(p.collected_at)) * 1000)::bigint as hour
  from metrics.${identifier(packedName(shape))} p
  group by 1, 2
  order by 3 desc, 1, 2
  limit ${MOST_ROLLED}`;

class Undo extends Error {}

const isOfDatastore = (error: Error) =>
  error instanceof Fault || isUnreachable(error) || /^[0-9A-Z]{5}$/.test(errorCode(error) ?? '');

/** The hour's rollups made anew, and what they were; null: they are the same. */
async function compare(
  db: Db,
  {
    names,
    shape,
    place,
    interval_seconds,
  }: { names: Database; shape: Shape; place: Place; interval_seconds: number },
): Promise<string | null> {
  const slice: Slice = { ...place, from: place.hour, to: place.hour + HOUR_MS };
  const hole = Math.ceil(gapSeconds(interval_seconds)) * 1000;
  const before = await rollupDays(db, shape, slice);
  const reach = { ...slice, from: slice.from - 3 * HOUR_MS - 2 * hole, to: slice.to + HOUR_MS + hole };
  const rows = await readRows(db, shape, reach);
  await rollUp(db, shape, { names, slice, rows, interval_seconds });
  const after = await rollupDays(db, shape, slice);
  for (const [tier, spans] of after)
    for (const [at, said] of spans)
      if (before.get(tier)?.get(at) !== said)
        return `${placeName(place)}: ${tier} of ${new Date(at).toISOString()} is not what its samples say`;
  return null;
}

/** Whether the rollups of the newest packed hours are what comes out of them. */
export async function rollupProblem(
  db: Database,
  { shape, engine }: { shape: Shape; engine: Engine },
): Promise<string | null> {
  if (isByClass(shape) || numbersOf(shape).length === 0) return null;
  const intervals = await readIntervals(db);
  for (const place of await db.rows<Place>(newest(shape))) {
    const { hour } = place;
    await ensurePlaces(db, engine, { shape, from: hour, to: hour + HOUR_MS });
    const window = { from: hour - HOUR_MS, to: hour + 2 * HOUR_MS };
    const interval_seconds = intervals.within(shape, place.connection_id, window);
    let problem: string | null = null;
    await db
      .transaction(async (inner) => {
        problem = await compare(inner, { names: db, shape, place, interval_seconds });
        throw new Undo();
      })
      .catch((error: unknown) => {
        if (error instanceof Undo) return;
        if (!(error instanceof Error) || isOfDatastore(error)) throw error;
        problem = `${placeName(place)}: its samples cannot be unpacked (${error.message})`;
      });
    if (problem) return problem;
  }
  return null;
}
