// Runs that wait to be stored as samples, in order and in bounded memory. When memory is full the oldest are given up
// and counted; a family of objects that lost a tick starts again with a keyframe, since increases after a missing tick
// could not be added up.

import { append } from '../../../kernel/lists.ts';
import { storableKey } from '../../format/content.ts';
import type { TableLayout } from '../../layout/table-layout.ts';
import { type ProbeRun, wholeRows } from '../../layout/types.ts';
import { diffReading, type Family, type ObjectRef, type Tick } from '../objects/deltas.ts';
import { learnIds, type Objects } from '../objects/reading-diff.ts';
import { sampleLines, serverInstanceMark, type WaitingTick, waitingTick } from './encode.ts';
import type { ReadingState } from './reading-states.queries.ts';
import { isMaskedBy, SampleBirths } from './sample-births.ts';

export interface Entry {
  readonly connection_id: number;
  readonly epoch: number;
  readonly database_name: string;
  readonly layout: TableLayout;
  readonly at: number;
  readonly bytes: number;
  /** Samples: COPY lines, one or more in each text. */
  readonly lines: readonly string[];
  /** Objects: rows whose objects have no ids yet. */
  readonly ticks: readonly WaitingTick[];
  /** What the reading was like, where that is something else than before. */
  readonly state?: ReadingState;
}

/** The first reading of a family here, which may follow one that is stored. */
export interface FirstReading {
  readonly entry: Entry;
  readonly family: Family;
  readonly server_instance: number | null;
  /** Of its objects, in their order; each has its id once the reading is stored. */
  readonly refs: readonly ObjectRef[];
}

const ENTRY_BYTES = 300;
/** What a name takes beside its texts. */
const NAME_BYTES = 150;
/** A family that was not read for so long is forgotten: its connection went to another collector. */
const IDLE_MS = 3 * 86_400_000;
const TIDY_EVERY = 5000;
/** So many families are those of fifty servers or so: from then on room counts for more than the time that packing takes. */
const MANY_FAMILIES = 1000;
/** Of what is read more often the columns stay as they are read. */
const RARE_SECONDS = 60;

const familyKey = (of: { connection_id: number; database_name: string; layout: TableLayout }) =>
  `${of.connection_id}\0${of.layout.probe}\0${of.database_name}`;

const nameBytes = ({ key, keyJson, labelsJson }: ObjectRef) =>
  NAME_BYTES + key.length + keyJson.length + labelsJson.length;

function tickBytes(ticks: readonly WaitingTick[]): number {
  let bytes = 0;
  for (const { refs, gone, fields } of ticks) {
    bytes += fields.length;
    for (const ref of refs) bytes += nameBytes(ref);
    for (const ref of gone) bytes += nameBytes(ref);
  }
  return bytes;
}

export class SampleQueue {
  #entries: Entry[] = [];
  readonly #families = new Map<string, Family>();
  readonly #births = new SampleBirths();
  readonly #first = new Map<Entry, FirstReading>();
  /** What the newest reading of each family was like. */
  readonly #states = new Map<string, string>();
  readonly #maxBytes: number;
  readonly #onDropped: (entries: readonly Entry[]) => void;
  #bytes = 0;
  #dropped = 0;
  #added = 0;

  /** `onDropped` is told what had to be given up. */
  constructor(maxBytes: number, onDropped: (entries: readonly Entry[]) => void) {
    this.#maxBytes = maxBytes;
    this.#onDropped = onDropped;
  }

  get size(): number {
    return this.#entries.length;
  }
  get bytes(): number {
    return this.#bytes;
  }
  /** How many runs were given up because memory was full. */
  get dropped(): number {
    return this.#dropped;
  }

  add(layout: TableLayout, run: ProbeRun): void {
    if (run.outcome.kind !== 'ran') return;
    const entry = layout.keeps === 'samples' ? this.#samples(layout, run) : this.#objects(layout, run);
    if (!entry) return;
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    this.#trim();
    this.#added += 1;
    if (this.#added % TIDY_EVERY === 0) this.#tidy(entry.at);
  }

  #head(layout: TableLayout, run: ProbeRun, at: number) {
    const database_name = storableKey(run.database_name);
    return { connection_id: run.connection_id, epoch: run.epoch, database_name, layout, at };
  }

  #samples(layout: TableLayout, run: ProbeRun): Entry | undefined {
    if (run.outcome.kind !== 'ran') return undefined;
    const { collected_at: at, rows } = run.outcome;
    const head = this.#head(layout, run, at);
    const { server_instance, outcome } = run;
    const born = this.#births.of(layout, familyKey(head), { ...run, outcome });
    const lines = sampleLines(layout, { ...head, server_instance }, wholeRows(rows));
    if (born)
      append(lines, sampleLines(layout, { ...head, server_instance, at: born.at, isBorn: true }, born.rows));
    if (lines.length === 0) return undefined;
    const bytes = lines.reduce((sum, line) => sum + line.length, ENTRY_BYTES);
    return { ...head, bytes, lines, ticks: [] };
  }

  #objects(layout: TableLayout, run: ProbeRun): Entry | undefined {
    if (run.outcome.kind !== 'ran') return undefined;
    const { collected_at: at, rows, digests, is_cut, cause, continuity } = run.outcome;
    const head = this.#head(layout, run, at);
    const key = familyKey(head);
    const { server_instance, epoch, made_after } = run;
    const complete = is_cut !== true;
    const isMasked = isMaskedBy(cause);
    const own = { at, epoch, server_instance, made_after };
    const reading = { ...own, rows, digests, complete, isMasked, continuity };
    const { family, ticks: read } = diffReading(layout, this.#families.get(key), reading);
    this.#families.set(key, family);
    this.#pack(layout, family.objects);
    const ticks = read.map((tick) => waitingTick(layout, tick));
    const state = this.#stateOf(key, family);
    const bytes = ENTRY_BYTES + tickBytes(ticks);
    const entry = { ...head, bytes, lines: [], ticks, ...(state && { state }) };
    const refs = ticks.every(({ since }) => since === null) ? ticks[0]?.refs : undefined;
    if (refs && layout.values.some(({ kind }) => kind === 'counter'))
      this.#first.set(entry, { entry, family, server_instance: serverInstanceMark(server_instance), refs });
    return entry;
  }

  /** Undefined: as of the reading before. */
  #stateOf(key: string, { server_instance, isWhole, continuity }: Family): ReadingState | undefined {
    const mark = serverInstanceMark(server_instance);
    const state = { server_instance: mark, is_whole: isWhole, continuity: continuity ?? null };
    const text = JSON.stringify(Object.values(state));
    if (this.#states.get(key) === text) return undefined;
    this.#states.set(key, text);
    return state;
  }

  /** First readings that were not compared with what is stored. */
  get first(): number {
    return this.#first.size;
  }

  /** Those of them that are stored, each once. */
  takeFirst(most: number): FirstReading[] {
    const stored = [...this.#first.values()].filter(({ refs }) => refs.every(({ id }) => id !== undefined));
    const taken = stored.slice(0, most);
    for (const { entry } of taken) this.#first.delete(entry);
    return taken;
  }

  /** What happened up to a first reading. */
  bridge({ entry }: FirstReading, tick: Tick): void {
    const { connection_id, epoch, database_name, layout, at } = entry;
    const ticks = [waitingTick(layout, tick)];
    const bytes = ENTRY_BYTES + tickBytes(ticks);
    this.#entries.push({ connection_id, epoch, database_name, layout, at, bytes, lines: [], ticks });
    this.#bytes += bytes;
  }

  #pack({ intervalSeconds }: TableLayout, { columns }: Objects): void {
    if (this.#families.size >= MANY_FAMILIES && intervalSeconds >= RARE_SECONDS) columns.pack();
  }

  /** Takes the oldest out, at least one while there is any, up to both limits. */
  take({ maxRuns, maxBytes }: { maxRuns: number; maxBytes: number }): Entry[] {
    let count = 0;
    let bytes = 0;
    for (const entry of this.#entries) {
      if (count >= maxRuns || (count > 0 && bytes + entry.bytes > maxBytes)) break;
      count += 1;
      bytes += entry.bytes;
    }
    this.#bytes -= bytes;
    return this.#entries.splice(0, count);
  }

  /** These were stored by a replay, with objects that families in memory know under the same keys. */
  learn(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const objects = this.#families.get(familyKey(entry))?.objects;
      if (!objects) continue;
      for (const tick of entry.ticks) {
        const answered = [...tick.refs, ...tick.gone];
        objects.names.learn(answered);
        learnIds(entry.layout, objects, answered);
      }
      this.#pack(entry.layout, objects);
    }
  }

  /** These leave memory for the disk, and their names with them: those of a first reading would be most of what memory holds. */
  setAside(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#first.delete(entry);
      for (const { refs } of entry.ticks) for (const ref of refs) ref.home?.leave(ref);
    }
  }

  /** Whatever could not be stored, or never will be: the families start again with a keyframe. */
  restart(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#first.delete(entry);
      this.#forget(familyKey(entry));
    }
  }

  /** Something was lost, nobody knows of what: all families start again. */
  restartAll(): void {
    this.#first.clear();
    for (const key of this.#families.keys()) this.#forget(key);
  }

  /** The connection is not collected here any more. */
  leave(connectionId: number): void {
    for (const key of this.#families.keys()) if (key.startsWith(`${connectionId}\0`)) this.#forget(key);
    this.#births.leave(connectionId);
  }

  #forget(key: string): void {
    this.#families.delete(key);
    this.#states.delete(key);
    this.#births.forget(key);
  }

  #trim(): void {
    let drop = 0;
    while (this.#bytes > this.#maxBytes && drop < this.#entries.length - 1) {
      this.#bytes -= this.#entries[drop]?.bytes ?? 0;
      drop += 1;
    }
    if (drop === 0) return;
    const dropped = this.#entries.splice(0, drop);
    this.restart(dropped);
    this.#dropped += drop;
    this.#onDropped(dropped);
  }

  #tidy(now: number): void {
    for (const [key, { at }] of this.#families) if (now - at > IDLE_MS) this.#forget(key);
  }
}
