// Events of a log whose texts are kept: rows of those that matter, blocks of the others, as many as there is room for. Guards: no text leaves here
// unmasked; texts and names that come from outside are bounded; other work has its turn between events.
import { Masker } from '../../assistant/ai-runs/masking.ts';
import { newBlocks } from '../../estate/server-logs/line-block.ts';
import type { CountRow, EventRow, LineBlock, LogPiece } from '../../estate/server-logs/log-rows.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { decoded } from '../../logs/text.ts';
import type { EventClass, LogEvent } from '../../logs/types.ts';
import { storable } from '../../store/format/content.ts';
import { sampleOf } from './sample.ts';

const LONGEST_TEXT = 8000;
const LONGEST_NAME = 63;
/** Database, schema and table with their dots. */
const LONGEST_RELATION = 191;
/** Texts of so many characters are masked in some milliseconds. */
const CHARACTERS_AT_ONCE = 20_000;
const LINES_KEPT_MS = 7 * DAY_MS;

export const PLAN = 'plan';
export const MASKED = { mask_emails: true, mask_addresses: false };

/** An event, and the count that it is in. */
export interface Picked {
  readonly event: LogEvent;
  /** By which its figures are read. */
  readonly read: LogEvent;
  readonly one: EventClass | undefined;
  readonly at: number;
  readonly sqlstate: string;
  readonly counted: CountRow;
}

export const nameOf = (text: string) => storable(cutText(decoded(text), LONGEST_NAME));

const relationOf = ({ read, one }: Picked) => {
  const name = one?.relation?.(read);
  return name === undefined ? null : storable(cutText(decoded(name), LONGEST_RELATION));
};

/** Bytes are cut before they are decoded: an event may have millions. */
const shortened = (bytes: string) =>
  cutText(decoded(bytes.slice(0, 4 * LONGEST_TEXT + 4)), LONGEST_TEXT, '…');

/** Of a plan the tree is left out: it is kept with the plans of its statement. */
function messageOf({ event: { message }, one }: Picked): string {
  const end = one?.name === PLAN ? message.indexOf('\n') : -1;
  return end === -1 ? message : message.slice(0, end);
}

function rowOf(picked: Picked, { scrub, keep_literals = false }: LogPiece): EventRow {
  const { event, one, at, sqlstate } = picked;
  const masker = new Masker(MASKED);
  const masked = (text: string) => (keep_literals ? masker.secrets(text) : masker.text(text));
  const shown = (bytes: string) => (bytes === '' ? '' : storable(masked(scrub(shortened(bytes)))));
  return {
    occurred_at: at,
    class: one?.name ?? '',
    severity: event.severity,
    sqlstate,
    database_name: nameOf(event.database),
    user_name: nameOf(event.user),
    application_name: storable(masker.text(cutText(decoded(event.application), LONGEST_NAME))),
    process_id: /^\d{1,10}$/.test(event.pid) ? event.pid : '',
    queryid: /^-?[1-9]\d{0,18}$/.test(event.queryid ?? '') ? (event.queryid ?? '') : '',
    message: shown(messageOf(picked)),
    detail: shown(event.detail),
    hint: shown(event.hint),
    context: shown(event.context),
    statement: shown(event.statement),
    figures: one?.figures?.(picked.read) ?? {},
    relation_name: relationOf(picked),
    is_cut: event.isCut,
  };
}

const charactersOf = ({ message, detail, hint, context, statement }: LogEvent) =>
  [message, detail, hint, context, statement].reduce(
    (sum, { length }) => sum + Math.min(length, LONGEST_TEXT),
    0,
  );

/** Their texts, in the same order. */
export async function rowsOf(picked: readonly Picked[], piece: LogPiece): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  let characters = 0;
  for (const one of picked) {
    rows.push(rowOf(one, piece));
    one.counted.kept += 1;
    characters += charactersOf(one.event);
    if (characters < CHARACTERS_AT_ONCE) continue;
    characters = 0;
    await yieldIfBusy();
  }
  return rows;
}

/** Blocks of an hour each: a line with a time far off makes no block that all searches of that time have to read. */
export async function blocksOf(all: readonly Picked[], piece: LogPiece): Promise<LineBlock[]> {
  const { room, now } = piece;
  if (!room || room.bytes <= 0) return [];
  const young = all.filter(({ at }) => at > now - LINES_KEPT_MS);
  const sizes = young.map((picked) => ({
    picked,
    class: picked.one?.name ?? '',
    bytes: charactersOf(picked.event),
  }));
  const rows = await rowsOf(
    sampleOf(sizes, room.bytes).map(({ picked }) => picked),
    piece,
  );
  const hours = Map.groupBy(
    rows.toSorted((a, b) => a.occurred_at - b.occurred_at),
    ({ occurred_at }) => Math.floor(occurred_at / HOUR_MS),
  );
  const blocks: LineBlock[] = [];
  for (const own of hours.values()) for (const block of await newBlocks(own)) blocks.push(block);
  return blocks;
}
