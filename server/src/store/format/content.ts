// Turns rows from monitored servers into JSON the datastore accepts, and sets of items into a hash that does not
// depend on their order. Whatever a hostile server sends (NUL, halves of surrogate pairs, endless names) is made
// storable here, so that one bad row can never stop a flush.

import { hash } from 'node:crypto';
import { type ProbeRun, type Ran, type Row, wholeRows } from '../layout/types.ts';

/** Longest key of an item: with probe and database it has to fit into an index entry. */
const MAX_KEY = 400;

/** The newest rows of a run, ready to be stored. */
export interface Content {
  readonly collected_at: number;
  readonly row_count: number;
  /** JSON text of the rows; null for a change-tracked probe, and for one whose rows are kept elsewhere. */
  readonly rows: string | null;
  /** JSON text {item key: row}; null for a snapshot probe. */
  readonly items: string | null;
  /** What is stored already is not stored again; null where no rows are kept here. */
  readonly content_hash: string | null;
  readonly bytes: number;
}

const digest = (text: string) => hash('sha256', text, 'base64url');

/** Text that jsonb and text columns take. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** A name that is stored as part of a key: as it is while short, else cut and told apart by a hash. */
export function storableKey(name: string): string {
  const text = storable(name);
  return text.length <= MAX_KEY
    ? text
    : `${text.slice(0, MAX_KEY - 23).toWellFormed()}#${digest(text).slice(0, 22)}`;
}

/** What JSON.stringify writes for NUL and for halves of surrogate pairs. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'string') return storable(inner);
    if (typeof inner === 'bigint') return String(inner);
    return inner;
  });
}

/** JSON text that jsonb takes; looking at every value costs ten times as much, and is seldom needed. */
export function toJson(value: unknown): string {
  try {
    const text = JSON.stringify(value);
    return UNSTORABLE.test(text) ? storableJson(value) : text;
  } catch {
    // A 64-bit integer as such.
    return storableJson(value);
  }
}

function keyOf(row: Row, columns: readonly string[]): string {
  if (columns.length === 1) return storableKey(String(row[columns[0] ?? ''] ?? ''));
  return columns.length === 0 ? '' : storableKey(toJson(columns.map((column) => row[column] ?? null)));
}

/** Each item once, in a fixed order: of two rows with the same key the smaller text wins, whatever came first. */
function itemsOf(rows: readonly Row[], columns: readonly string[]): [string, string][] {
  const items = new Map<string, string>();
  for (const row of rows) {
    const key = keyOf(row, columns);
    const value = toJson(row);
    const known = items.get(key);
    if (known === undefined || value < known) items.set(key, value);
  }
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** That there were rows, and how many. */
export function countOf({ collected_at, rows }: Ran): Content {
  return { collected_at, row_count: rows.length, rows: null, items: null, content_hash: null, bytes: 0 };
}

export function contentOf(ran: Ran): Content {
  const { collected_at, history_by } = ran;
  const rows = wholeRows(ran.rows);
  if (history_by === undefined) {
    const text = toJson(rows);
    return {
      collected_at,
      row_count: rows.length,
      rows: text,
      items: null,
      content_hash: digest(text),
      bytes: text.length,
    };
  }
  const items = itemsOf(rows, history_by);
  const text = `{${items.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
  return {
    collected_at,
    row_count: items.length,
    rows: null,
    items: text,
    content_hash: digest(text),
    bytes: text.length,
  };
}

/** Stored times have whole milliseconds: with a finer one a reading after a restart would be compared with itself, and not with the one before. */
export function inWholeMilliseconds(run: ProbeRun): ProbeRun {
  const { outcome, made_after } = run;
  const made = made_after === undefined ? {} : { made_after: Math.floor(made_after) };
  if (outcome.kind !== 'ran') return { ...run, ...made };
  return { ...run, ...made, outcome: { ...outcome, collected_at: Math.floor(outcome.collected_at) } };
}
