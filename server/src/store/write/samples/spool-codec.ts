// Encodes entries of the sample queue as the payload of a spool record, and decodes them again. Pure. Guards: what an
// older version of the program wrote is stored under today's columns; a payload that a newer version wrote, or that
// cannot be read, yields no entries.

import type { TableLayout } from '../../layout/table-layout.ts';
import type { Value } from '../../layout/types.ts';
import type { ObjectRef, Tick } from '../objects/deltas.ts';
import { fieldOf, type WaitingTick, waitingTick } from './encode.ts';
import type { Entry } from './sample-queue.ts';

const VERSION = 2;
/** Its ticks held the values of each object. */
const BY_OBJECT = 1;

type StoredRef = [key: string, keyJson: string, labelsJson: string];

type TickHead = Pick<Tick, 'at' | 'keyframe' | 'whole' | 'since'>;

interface StoredTick extends TickHead {
  /** Indexes of references, as in `gone`. */
  refs: number[];
  gone: number[];
  fields: string;
}

/** As version 1 wrote it. */
interface TickByObject extends TickHead {
  /** [index of the reference, …values]. */
  objects: [number, ...Value[]][];
  gone: number[];
}

interface StoredEntry extends Pick<Entry, 'connection_id' | 'epoch' | 'database_name' | 'at' | 'bytes'> {
  probe: string;
  lines?: readonly string[];
  ticks?: (StoredTick | TickByObject)[];
}

interface Columns {
  /** Of the table, for lines. */
  table: string[];
  /** Of the values of an object. */
  values: string[];
}

interface Payload {
  version: number;
  columns: Record<string, Columns>;
  refs: StoredRef[];
  entries: StoredEntry[];
}

const columnsOf = ({ table, values }: TableLayout): Columns => ({
  table: table.columns.map(({ name }) => name),
  values: values.map(({ name }) => name),
});

export function encodeEntries(entries: readonly Entry[]): Buffer {
  const columns: Record<string, Columns> = {};
  const refs = new Map<ObjectRef, number>();
  const indexOf = (ref: ObjectRef) => {
    const index = refs.get(ref) ?? refs.size;
    refs.set(ref, index);
    return index;
  };
  const storedTick = ({ refs: mentioned, gone, ...tick }: WaitingTick): StoredTick => ({
    ...tick,
    refs: mentioned.map(indexOf),
    gone: gone.map(indexOf),
  });
  const stored = entries.map(({ layout, lines, ticks, ...entry }): StoredEntry => {
    columns[layout.probe] ??= columnsOf(layout);
    return {
      ...entry,
      probe: layout.probe,
      ...(lines.length > 0 && { lines }),
      ...(ticks.length > 0 && { ticks: ticks.map(storedTick) }),
    };
  });
  const texts = [...refs.keys()].map(({ key, keyJson, labelsJson }): StoredRef => [key, keyJson, labelsJson]);
  const payload: Payload = { version: VERSION, columns, refs: texts, entries: stored };
  return Buffer.from(JSON.stringify(payload));
}

/**
 * Columns that older versions called otherwise, by the name in their spools. An entry can go once no spool can be left
 * that was written before the migration of that column: rows older than their probe's retention are refused anyway.
 */
const RENAMED: ReadonlyMap<string, string> = new Map([
  // Migration 0021.
  ['incarnation', 'server_instance'],
]);

const renamed = (names: readonly string[]) => names.map((name) => RENAMED.get(name) ?? name);

/** Picks from a list under old names one under new names; undefined where nothing changes. */
function mapping(before: readonly string[], now: readonly string[]): number[] | undefined {
  const isSame = before.length === now.length && now.every((name, index) => before[index] === name);
  return isSame ? undefined : now.map((name) => before.indexOf(name));
}

function readLines(lines: readonly string[], before: Columns, layout: TableLayout): readonly string[] {
  const picks = mapping(renamed(before.table), columnsOf(layout).table);
  if (!picks) return lines;
  const remade = (line: string) => {
    const fields = line.split('\t');
    return picks.map((index) => fields[index] ?? '\\N').join('\t');
  };
  // A newline within a value is escaped: each that is there ends a line.
  return lines.map((text) => text.split('\n').map(remade).join('\n'));
}

class Unreadable extends Error {}

interface Written {
  /** What the payload says of the table. */
  before: Columns;
  layout: TableLayout;
  refs: readonly ObjectRef[];
}

function readFields(tick: StoredTick, { before, layout }: Written): string {
  const picks = mapping(before.values, columnsOf(layout).values);
  if (!picks) return tick.fields;
  // A tab within a value is escaped.
  const [, ...fields] = tick.fields.split('\t');
  const unread = tick.refs.map(() => null);
  const now = layout.values.map(
    (column, place) => fields[picks[place] ?? -1] ?? fieldOf(column, unread, tick),
  );
  return ['', ...now].join('\t');
}

function readByObject({ objects, ...tick }: TickByObject, { before, layout, refs }: Written): WaitingTick {
  const picks = mapping(before.values, columnsOf(layout).values);
  const valuesOf = (values: readonly Value[]) =>
    picks ? picks.map((index) => values[index] ?? null) : values;
  return waitingTick(layout, {
    ...tick,
    objects: objects.flatMap(([index, ...values]) => {
      const ref = refs[index];
      return ref ? [{ ref, values: valuesOf(values) }] : [];
    }),
    gone: tick.gone.flatMap((index) => refs[index] ?? []),
  });
}

function readTick(stored: StoredTick | TickByObject, written: Written): WaitingTick {
  if ('objects' in stored) return readByObject(stored, written);
  const named = (index: number): ObjectRef => {
    const ref = written.refs[index];
    // Without it the values would belong to others.
    if (!ref) throw new Unreadable('a tick mentions an object that has no name');
    return ref;
  };
  return {
    ...stored,
    refs: stored.refs.map(named),
    gone: stored.gone.map(named),
    fields: readFields(stored, written),
  };
}

function parse(payload: Buffer): Payload | undefined {
  try {
    const found: Payload = JSON.parse(payload.toString());
    return found.version === VERSION || found.version === BY_OBJECT ? found : undefined;
  } catch {
    return undefined;
  }
}

function readEntries(found: Payload, layouts: ReadonlyMap<string, TableLayout>): Entry[] {
  const refs = found.refs.map(
    ([key, keyJson, labelsJson]): ObjectRef => ({ key, keyJson, labelsJson, id: undefined, dirty: false }),
  );
  return found.entries.flatMap(({ probe, lines = [], ticks = [], ...entry }) => {
    const layout = layouts.get(probe);
    const before = found.columns[probe];
    if (!layout || !before) return [];
    const read = {
      lines: readLines(lines, before, layout),
      ticks: ticks.map((tick) => readTick(tick, { before, layout, refs })),
    };
    return [{ ...entry, layout, ...read }];
  });
}

/** Without entries of probes that have no layout any more; undefined when the payload cannot be read. */
export function decodeEntries(
  payload: Buffer,
  layouts: ReadonlyMap<string, TableLayout>,
): Entry[] | undefined {
  const found = parse(payload);
  try {
    return found && readEntries(found, layouts);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
