// What is known of one server, as checks read it: the newest rows of each probe, whoever read them. Guards: a row that is
// not there is not there, and is never made up; values are asked for with the type that they should have.

import { least } from '../../kernel/lists.ts';
import { isRecord } from '../../kernel/read-json.ts';
import type { ProbeName } from '../../probes/catalog.gen.ts';
import { meetsAll } from '../../probes/conditions.ts';
import type { Condition } from '../../probes/metric-types.ts';
import { type Platform, platformOf } from '../../probes/requirements/platforms.ts';
import type { KeptPlans, LoggedPlans } from './kept-plan.ts';
import type { ProbeRun } from './probe-runs.ts';
import { isSettingRead } from './settings-read.ts';
import { settingBytes, settingSeconds } from './units.ts';

export type Cells = Readonly<Record<string, unknown>>;

/** Rows of one run of a probe. */
export interface Reading {
  /** '': the server as a whole. */
  readonly database_name: string;
  /** Milliseconds since the epoch. */
  readonly collected_at: number;
  readonly rows: readonly Cells[];
  /** More rows, as lists, where thousands are read at once: the places of the columns, and the cells. */
  readonly listed?: Listed;
}

export interface Listed {
  readonly places: ReadonlyMap<string, number>;
  /** Makes them, when somebody asks. */
  rows(): readonly (readonly unknown[])[];
}

/** What objects of a group grew in a day that ended with a whole hour, and in the day before; absent: nothing, or nobody measured it. */
export interface DayRow {
  /** By the columns that the check names. */
  readonly group: Cells;
  readonly last: Readonly<Record<string, number>>;
  readonly before: Readonly<Record<string, number>>;
}

/** What is known of a server. */
export interface CollectedFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly readings: ReadonlyMap<string, readonly Reading[]>;
  /** By probe; absent where nothing is kept, as in a checkup. */
  readonly days?: ReadonlyMap<string, readonly DayRow[]>;
  /** Absent where nobody kept what became of them. */
  readonly runs?: readonly ProbeRun[];
  /** As of the evaluation before; absent where nothing is kept. */
  readonly plans?: KeptPlans;
  /** Absent where no log is read. */
  readonly logged?: LoggedPlans;
}

const IS_RESET = /stats_(?:reset|since)$/;
const NO_PLACES: Listed['places'] = new Map();
const FIRST_WITHOUT_TIME = 150_000;
/** Resets of what is counted for the server as a whole. */
const WHOLE = [
  ['pg_stat_wal', 'archiver_stats_reset'],
  ['pg_stat_wal', 'stats_reset'],
  ['pg_stat_checkpointer', 'bgwriter_stats_reset'],
  ['pg_stat_checkpointer', 'stats_reset'],
] as const;

/** The objects of a list in a column of JSON, whatever it holds. */
export const objectsIn = (value: unknown): readonly Cells[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Many checks ask for the same times, and reading the text of one costs more than all else of asking. */
const moments = new Map<string, number>();
const MOST_MOMENTS = 4096;

function momentOf(text: string): number {
  const known = moments.get(text);
  if (known !== undefined) return known;
  const at = Date.parse(text);
  if (moments.size >= MOST_MOMENTS) moments.clear();
  moments.set(text, at);
  return at;
}

/** A row of a probe with the values that checks ask for. */
export abstract class Item {
  readonly database_name: string;
  readonly collected_at: number;
  readonly #aheadMs: number;

  constructor({ database_name, collected_at }: Reading, aheadMs: number) {
    this.database_name = database_name;
    this.collected_at = collected_at;
    this.#aheadMs = aheadMs;
  }

  protected abstract cell(column: string): unknown;

  /** Whether the row is what a metric asks for: a check judges what an alert rule judges by the same conditions. */
  meets(conditions: readonly Condition[]): boolean {
    return meetsAll((column) => this.cell(column), conditions);
  }

  /** The number, also of a 64-bit integer that travels as text; null: it is unknown. */
  number(column: string): number | null {
    const cell = this.cell(column);
    if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null;
    const isInText = (typeof cell === 'string' && cell !== '') || typeof cell === 'bigint';
    const value = isInText ? Number(cell) : Number.NaN;
    return Number.isFinite(value) ? value : null;
  }

  text(column: string): string | null {
    const cell = this.cell(column);
    if (typeof cell === 'string') return cell;
    if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? null : cell.toISOString();
    return typeof cell === 'number' || typeof cell === 'bigint' ? String(cell) : null;
  }

  /** Null: it is unknown. */
  flag(column: string): boolean | null {
    const cell = this.cell(column);
    return typeof cell === 'boolean' ? cell : null;
  }

  list(column: string): readonly string[] {
    const cell = this.cell(column);
    return Array.isArray(cell) ? cell.filter((one) => typeof one === 'string') : [];
  }

  /** An object in a column of JSON. */
  object(column: string): Cells | undefined {
    return objectsIn([this.cell(column)])[0];
  }

  /** Milliseconds since the epoch; also of a reset, which is kept as the server tells it, by our clock. */
  time(column: string): number | null {
    const cell = this.cell(column);
    const at = cell instanceof Date ? cell.getTime() : typeof cell === 'string' ? momentOf(cell) : Number.NaN;
    if (!Number.isFinite(at)) return null;
    return IS_RESET.test(column) ? at - this.#aheadMs : at;
  }
}

class RecordItem extends Item {
  readonly #cells: Cells;

  constructor(reading: Reading, aheadMs: number, cells: Cells) {
    super(reading, aheadMs);
    this.#cells = cells;
  }

  protected override cell(column: string): unknown {
    return this.#cells[column];
  }
}

class ListItem extends Item {
  readonly #places: Listed['places'];
  readonly #cells: readonly unknown[];

  constructor(reading: Reading, aheadMs: number, cells: readonly unknown[]) {
    super(reading, aheadMs);
    this.#places = reading.listed?.places ?? NO_PLACES;
    this.#cells = cells;
  }

  protected override cell(column: string): unknown {
    const place = this.#places.get(column);
    return place === undefined ? undefined : this.#cells[place];
  }
}

function itemsOf(reading: Reading, aheadMs: number): Item[] {
  const items: Item[] = [];
  for (const cells of reading.rows) items.push(new RecordItem(reading, aheadMs, cells));
  const { listed } = reading;
  if (listed) for (const cells of listed.rows()) items.push(new ListItem(reading, aheadMs, cells));
  return items;
}

export class Facts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The other servers of its cluster that are watched, for checks that compare them. */
  readonly members: readonly Facts[];
  /** What became of the newest runs of all probes. */
  readonly runs: readonly ProbeRun[] | undefined;
  /** How statements were planned when they were judged last. */
  readonly plans: KeptPlans | undefined;
  /** Of statements with several plans in the log; undefined: there are none. */
  readonly logged: LoggedPlans | undefined;
  /** How far the clock of the server is ahead of ours. */
  readonly aheadMs: number;
  readonly #readings: CollectedFacts['readings'];
  readonly #days: CollectedFacts['days'];
  readonly #items = new Map<string, readonly Item[]>();
  #settings: ReadonlyMap<string, Item> | undefined;

  constructor({ now, readings, days, runs, plans, logged }: CollectedFacts, members: readonly Facts[] = []) {
    this.now = now;
    this.runs = runs;
    this.plans = plans;
    this.logged = logged;
    this.members = members;
    this.#readings = readings;
    const ahead = readings.get('pg_connectivity')?.[0]?.rows[0]?.clock_ahead_seconds;
    this.aheadMs = typeof ahead === 'number' ? ahead * 1000 : 0;
    this.#days = days;
  }

  /** Every row of the newest runs of a probe, in all databases. */
  rows(probe: ProbeName): readonly Item[] {
    const kept = this.#items.get(probe);
    if (kept) return kept;
    const readings = this.#readings.get(probe) ?? [];
    const made = readings.flatMap((reading) => itemsOf(reading, this.aheadMs));
    this.#items.set(probe, made);
    return made;
  }

  /** The first row: of a probe that has one for a server. */
  row(probe: ProbeName): Item | undefined {
    return this.rows(probe)[0];
  }

  /** The last day beside the day before, of a probe that the check names in `days`; undefined: nothing is kept. */
  days(probe: ProbeName): readonly DayRow[] | undefined {
    return this.#days?.get(probe);
  }

  /** Where the probe was read; '': the server as a whole. */
  databasesRead(probe: string): ReadonlySet<string> {
    return new Set((this.#readings.get(probe) ?? []).map(({ database_name }) => database_name));
  }

  /** server_version_num, e.g. 180004; 0: unknown. */
  get versionNum(): number {
    return this.row('pg_server_info')?.number('server_version_num') ?? 0;
  }

  /** The service that runs it, where that is known. */
  get platform(): Platform | undefined {
    return this.rows('pg_stat_database')
      .map((item) => platformOf(item.text('datname') ?? ''))
      .find((one) => one !== undefined);
  }

  /** Null: unknown. */
  get isStandby(): boolean | null {
    return this.row('pg_server_info')?.flag('is_in_recovery') ?? null;
  }

  /** A setting with everything that pg_settings says of it. */
  settingRow(name: string): Item | undefined {
    if (!isSettingRead(name)) throw new Error(`settings-read.ts does not list ${name}, so it is not read.`);
    this.#settings ??= new Map(this.rows('pg_settings').map((item) => [item.text('name') ?? '', item]));
    return this.#settings.get(name);
  }

  /** Its value as text; undefined: the server has no such setting, or we may not know it. */
  setting(name: string): string | undefined {
    return this.settingRow(name)?.text('setting') ?? undefined;
  }

  isOn(name: string): boolean {
    return this.setting(name) === 'on';
  }

  /** Of a setting that is a number without a unit. */
  settingNumber(name: string): number | undefined {
    const value = Number(this.setting(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  }

  /** Of a setting that is an amount of memory or disk; special values such as -1 stay as they are. */
  settingBytes(name: string): number | undefined {
    const row = this.settingRow(name);
    return row && settingBytes(row.text('setting'), row.text('unit'));
  }

  /** Of a setting that is a time; special values such as -1 stay as they are. */
  settingSeconds(name: string): number | undefined {
    const row = this.settingRow(name);
    return row && settingSeconds(row.text('setting'), row.text('unit'));
  }

  /**
   * Since when the counters of a database, its tables and its indexes count; null: unknown. They outlive a shutdown, and are lost when
   * the server crashes. Before version 15 a database has the time from its first statistics on. Since then only a reset gives
   * it one, while the statistics of the server as a whole have the time at which all of them began, or of a later reset of their own.
   */
  countedSince(database_name: string): number | null {
    const own = this.rows('pg_stat_database').find((item) => item.text('datname') === database_name);
    const reset = own?.time('stats_reset') ?? null;
    if (reset !== null || own === undefined || this.versionNum < FIRST_WITHOUT_TIME) return reset;
    const began = WHOLE.flatMap(([probe, column]) => this.row(probe)?.time(column) ?? []);
    return began.length === 0 ? null : least(began);
  }
}
