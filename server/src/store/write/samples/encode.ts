// Runs as COPY lines: a line for each row of a probe that keeps samples, a line for each tick of a family of objects.
// Pure. Guards: lines follow the columns of the layout's table, in order.
import { createHash } from 'node:crypto';
import { type CopyValue, copyArray, copyValue } from '../../../kernel/copy.ts';
import { iso } from '../../../kernel/times.ts';
import type { Column } from '../../../probes/types.ts';
import { toJson } from '../../format/content.ts';
import { MOST_SAMPLE_ROWS, type TableLayout } from '../../layout/table-layout.ts';
import type { Row, Value } from '../../layout/types.ts';
import type { ObjectRef, Tick } from '../objects/deltas.ts';

/** A value of a run's row, in the declared type. */
function field({ type }: Column, value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (type === 'jsonb') return copyValue(toJson(value));
  if (type === 'text[]') return copyArray(Array.isArray(value) ? value.map(plainValue) : null);
  return copyValue(plainValue(value));
}

function plainValue(value: unknown): CopyValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

const MOST_MARKS = 5000;
const marks = new Map<string, number>();

/** The instance of a server that answered, in two bytes: enough to see that it is another one than before. */
export function serverInstanceMark(server_instance: string | undefined): number | null {
  if (server_instance === undefined) return null;
  const known = marks.get(server_instance);
  if (known !== undefined) return known;
  const mark = createHash('sha256').update(server_instance).digest().readInt16BE(0);
  if (marks.size >= MOST_MARKS) marks.clear();
  marks.set(server_instance, mark);
  return mark;
}

export interface RunHead {
  readonly connection_id: number;
  readonly database_name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly server_instance: string | undefined;
}

/** The lines of a run in one text, without the last newline; `isBorn`: of what the run did not have, see sample-births.ts. */
export function sampleLines(
  layout: TableLayout,
  head: RunHead & { readonly isBorn?: true },
  rows: readonly Row[],
): string[] {
  const { connection_id, database_name, at, server_instance } = head;
  const prefix = copyValue(connection_id);
  const tail = [serverInstanceMark(server_instance), iso(at), ...(layout.byDatabase ? [database_name] : [])]
    .map(copyValue)
    .join('\t');
  const lines = rows.slice(0, MOST_SAMPLE_ROWS).map((row, index) => {
    let line = `${prefix}\t${head.isBorn ? -1 - index : index}\t${tail}`;
    for (const column of layout.values) {
      const value = row[column.name];
      line += typeof value === 'number' ? `\t${value}` : `\t${field(column, value)}`;
    }
    return line;
  });
  // Joined they are one flat text; what was put together piece by piece would keep its pieces while it waits.
  return lines.length === 0 ? [] : [lines.join('\n')];
}

/**
 * The values of one column over the objects of a tick. In a row of increases a counter that did not grow anywhere is
 * no array at all, and one that nobody knows is an empty one.
 */
function columnOf(values: readonly Value[], isIncrease: boolean): readonly Value[] | null {
  const unknown = values.every((value) => value === null);
  if (!isIncrease) return unknown ? null : values;
  if (values.every((value) => value === 0)) return null;
  return unknown ? [] : values;
}

/** A tick while it waits. What it holds of the values is one flat text: as objects they would be most of all garbage. */
export interface WaitingTick extends Pick<Tick, 'at' | 'keyframe' | 'whole' | 'since' | 'gone'> {
  /** The objects, in the order of their values. */
  readonly refs: readonly ObjectRef[];
  /** The fields of the layout's values, a tab before each. */
  readonly fields: string;
}

/** The values of one column over the objects of a tick, as a field. */
export const fieldOf = ({ kind }: Column, values: readonly Value[], { keyframe }: Pick<Tick, 'keyframe'>) =>
  copyArray(columnOf(values, kind === 'counter' && !keyframe));

export function waitingTick(layout: TableLayout, { objects, ...tick }: Tick): WaitingTick {
  const fields = layout.values.map((column, place) => {
    const values = objects.map((object) => object.values[place] ?? null);
    return fieldOf(column, values, tick);
  });
  return { ...tick, refs: objects.map(({ ref }) => ref), fields: ['', ...fields].join('\t') };
}

/** `idOf` answers what the dictionary gave. */
export function tickLine(
  head: Omit<RunHead, 'server_instance' | 'at'>,
  { tick, idOf }: { tick: WaitingTick; idOf: (ref: ObjectRef) => number },
): string {
  const { at, keyframe, whole, since, refs, gone, fields } = tick;
  const line = [
    copyValue(head.connection_id),
    copyValue(keyframe),
    copyValue(whole),
    iso(at),
    since === null ? '\\N' : iso(since),
    copyValue(head.database_name),
    copyArray(refs.map(idOf)),
    copyArray(gone.length === 0 ? null : gone.map(idOf)),
  ].join('\t');
  return line + fields;
}
