// Rollups of days that are over become one packed row of each database, and the rows they were are deleted in the same
// transaction; of databases with thousands of objects so does what there is of a day that is not over, since a reader of days would
// spend most of its time on these rows. Guards: a day that gets rows later (late data) is packed again together with what
// is packed; it can stop anywhere and be done again.
import type { Database, Db } from '../../kernel/db.ts';
import { keepAwake } from '../../kernel/keep-awake.ts';
import { append } from '../../kernel/lists.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { type DayRow, type Element, packedColumns, unpackDay } from '../format/days.ts';
import type { PackedColumns } from '../format/hour.ts';
import { type PackedRow, packedHours, type Slice } from '../format/stored-rows.queries.ts';
import { toPacked } from '../format/stored-rows.ts';
import { dayOf, type Engine } from '../layout/engine/types.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import {
  arraysOf,
  isMadeLate,
  numbersOf,
  packedRollupName,
  packedTiersOf,
  rollupName,
  TIERS,
  type Tier,
} from '../layout/tiers.ts';
import { largeDays, type OpenDay, openDays, rollupSpans, type StoredSpan } from '../rollup/days.queries.ts';
import { deleteRollups } from '../rollup/roll.queries.ts';
import { addLayout, findLayout, lockTable, putPacked } from './compact.queries.ts';
import { ensureDayPartitions } from './tables.ts';

const isList = (value: StoredSpan[string]): value is Element[] => Array.isArray(value);

function dayRow(layout: TableLayout, span: StoredSpan): DayRow {
  const { at, runs, covered_seconds, object_ids } = span;
  const arrays = numbersOf(layout)
    .flatMap(arraysOf)
    .map((name) => {
      const value = span[name] ?? null;
      return [name, isList(value) ? value : null] as const;
    });
  return { at, runs, covered_seconds, object_ids, arrays: Object.fromEntries(arrays) };
}

/** The rows of a day, packed ones first: what came later replaces them. */
export async function rowsOfDay(
  db: Db,
  { layout, tier, slice }: { layout: TableLayout; tier: Tier; slice: Slice },
) {
  const packed = await db.rows<PackedRow>(packedHours(packedRollupName(layout, tier), slice));
  const spans = await db.rows<StoredSpan>(rollupSpans(layout, rollupName(layout, tier), slice));
  const before = packed.flatMap((day) => unpackDay(layout, toPacked(day)));
  return { rows: [...before, ...spans.map((span) => dayRow(layout, span))], spans: spans.length };
}

/** Whole days are read of no other tier. */
const isCoarsest = ({ name }: Tier) => name === TIERS.at(-1)?.name;

export interface DayOfTier {
  layout: TableLayout;
  tier: Tier;
  open: OpenDay;
}

/** What was made of a day anew, a few hours in each; packed, since the samples of the next ones are in memory meanwhile. */
export interface MadeDay {
  /** Of hours of which no sample is there any more, or never was: what is there counts. */
  beside: PackedColumns[];
  own: PackedColumns[];
}

async function unpackedAll(layout: TableLayout, all: readonly PackedColumns[]): Promise<DayRow[]> {
  const rows: DayRow[] = [];
  for (const one of all) {
    append(rows, unpackDay(layout, one));
    await yieldIfBusy();
  }
  return rows;
}

/** What is there of a day, and what was made of it anew, as one packed row and nothing else; to be called within a transaction. */
export async function putDay(
  db: Db,
  { layout, tier, open }: DayOfTier,
  { beside, own }: MadeDay = { beside: [], own: [] },
): Promise<void> {
  const { connection_id, database_name, day } = open;
  const slice: Slice = { connection_id, database_name, from: day, to: day + DAY_MS };
  const { rows: there, spans } = await rowsOfDay(db, { layout, tier, slice });
  const stay = keepAwake(db);
  const rows = [...(await unpackedAll(layout, beside)), ...there, ...(await unpackedAll(layout, own))];
  if (rows.length === 0) return;
  const packed = new Map<string, Uint8Array>();
  for (const [name, data] of packedColumns(layout, rows, isCoarsest(tier))) {
    packed.set(name, data);
    await yieldIfBusy();
    await stay();
  }
  const names = [...packed.keys()];
  await db.run(addLayout(names));
  const { layout_id } = await db.one<{ layout_id: number }>(findLayout(names));
  const columns = [...packed.values()].map((data) => Buffer.from(data));
  const name = packedRollupName(layout, tier);
  await db.run(putPacked(name, { connection_id, database_name, hour: day, layout_id, columns }));
  const deleted = await db.run(deleteRollups(rollupName(layout, tier), slice));
  if (deleted !== spans) throw new Error('rollups came in while their day was packed');
}

async function packOne(db: Database, of: DayOfTier): Promise<void> {
  await db.transaction(async (inner) => {
    // The same lock as that of packing hours, which makes rollups anew.
    await inner.run(lockTable(`${of.layout.table.name} ${of.open.connection_id}`));
    await putDay(inner, of);
  });
}

/**
 * Up to which day the rollups of a table were seen to be packed, so that a process looks once a day. Rollups that another
 * process makes meanwhile of what came late stay in rows until the next day, where they are read just as well.
 */
export class SeenDays {
  readonly #until = new Map<string, number>();
  /** The same of what there was of a day that is not over. */
  readonly #partUntil = new Map<string, number>();
  /** Days that were made while others of their table could not be. */
  readonly #made = new Map<string, Set<string>>();

  hasMade(layout: TableLayout, { connection_id, database_name, day }: OpenDay): boolean {
    return this.#made.get(layout.probe)?.has(`${connection_id} ${day} ${database_name}`) ?? false;
  }

  addMade(layout: TableLayout, { connection_id, database_name, day }: OpenDay): void {
    const made = this.#made.get(layout.probe) ?? new Set();
    this.#made.set(layout.probe, made.add(`${connection_id} ${day} ${database_name}`));
  }

  /** All are made, or something changed. */
  forgetMade(layout: TableLayout): void {
    this.#made.delete(layout.probe);
  }

  hasPart(layout: TableLayout, until: number): boolean {
    return this.#partUntil.get(layout.probe) === until;
  }

  addPart(layout: TableLayout, until: number): void {
    this.#partUntil.set(layout.probe, until);
  }

  has(layout: TableLayout, until: number): boolean {
    return this.#until.get(layout.probe) === until;
  }

  add(layout: TableLayout, until: number): void {
    this.#until.set(layout.probe, until);
  }

  /** Rollups of this hour are made anew. */
  change(layout: TableLayout, hour: number): void {
    if (hour < (this.#until.get(layout.probe) ?? 0)) this.#until.delete(layout.probe);
    this.forgetMade(layout);
  }
}

interface Packing {
  layout: TableLayout;
  before: number;
  signal: AbortSignal | undefined;
  seenDays: SeenDays;
}

/**
 * Of a day that is not over, so many bytes of ids are left in rows: three hours of 5,000 statements. With less the day would be packed
 * again and again for little, and with more its rows would be most of what a reader waits for.
 */
const LARGE_BYTES = 50_000;

async function packAll(
  db: Database,
  engine: Engine,
  { layout, tier, days, signal }: Packing & { tier: Tier; days: readonly OpenDay[] },
): Promise<number> {
  let packed = 0;
  await ensureDayPartitions(db, engine, {
    name: packedRollupName(layout, tier),
    days: days.map(({ day }) => day),
  });
  for (const open of days) {
    if (signal?.aborted) break;
    await packOne(db, { layout, tier, open });
    packed += 1;
  }
  return packed;
}

/** Packs what there is of a large day that is not over; once for each hour, in which rollups come in. */
async function packLarge(db: Database, engine: Engine, packing: Packing): Promise<number> {
  const { layout, before, seenDays } = packing;
  if (layout.keeps !== 'objects' || seenDays.hasPart(layout, before)) return 0;
  let packed = 0;
  const tiers = packedTiersOf(layout).filter((tier) => !isMadeLate(layout, tier));
  for (const tier of tiers) {
    const large = largeDays(rollupName(layout, tier), { day: dayOf(before), least_bytes: LARGE_BYTES });
    packed += await packAll(db, engine, { ...packing, tier, days: await db.rows<OpenDay>(large) });
  }
  seenDays.addPart(layout, before);
  return packed;
}

/** Packs the rollups of all days that end before `before`, and large ones so far; answers how many. */
export async function packDays(db: Database, engine: Engine, packing: Packing): Promise<number> {
  const { layout, before, signal, seenDays } = packing;
  const until = dayOf(before);
  if (numbersOf(layout).length === 0) return 0;
  let packed = 0;
  if (!seenDays.has(layout, until)) {
    for (const tier of packedTiersOf(layout)) {
      const days = await db.rows<OpenDay>(openDays(engine, rollupName(layout, tier), until));
      packed += await packAll(db, engine, { ...packing, tier, days });
      if (signal?.aborted) return packed;
    }
    seenDays.add(layout, until);
  }
  return packed + (await packLarge(db, engine, packing));
}
