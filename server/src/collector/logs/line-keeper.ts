// How many lines of a log are kept besides the events that matter. Guards: a server takes no more than its bytes of a day, a part of them at once and
// the others evenly; the time that masking takes of this process is bounded; counts are of all lines, whatever is kept.
import { storedBytes } from '../../estate/server-logs/line-blocks.queries.ts';
import type { LogPiece, PieceEvents } from '../../estate/server-logs/log-rows.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { eventsOf } from './log-events.ts';

export interface LineSettings {
  /** Of a server, as they are stored; 0: no lines are kept. */
  readonly bytes_per_day: number;
  /** Whether constants of statements are kept; secrets never are. */
  readonly keep_literals: boolean;
}

/** What a piece of the log of that connection holds. */
export type LineReader = (db: Db, connection_id: number, piece: LogPiece) => Promise<PieceEvents>;

/** A piece takes so much of what is left, so that in a flood each piece keeps a share. */
const PART = 8;
/** Stored bytes of a byte of the log, until it is known of a server. */
const RATIO = 0.1;
const KNOWN_MS = 10 * MINUTE_MS;
/** That times of lines were ahead of ours is said for so long. */
const SAID_MS = HOUR_MS;
/** Texts that one process masks: a fifth of a core, after some seconds of a whole one. */
const MASKED_A_SECOND = 2 * 1024 * 1024;
const MASKED_AT_ONCE = 64 * 1024 * 1024;

const NO_LINES: LineSettings = { bytes_per_day: 0, keep_literals: false };

interface Balance {
  bytes: number;
  at: number;
  readonly loaded_at: number;
  ratio: number;
}

const aheadBy = (ms: number) =>
  `Lines of the log have times that are still to come, up to ${shownValue(Math.round(ms / 1000), 'seconds')} ahead of the clock of the datastore. They are kept with the time at which they were read. Synchronize the clocks by NTP.`;

/** While the datastore is away lines wait to be stored, as counts do. */
async function storedOr0(db: Db, connection_id: number): Promise<number> {
  try {
    return await storedBytes(db, connection_id);
  } catch {
    return 0;
  }
}

export class LineKeeper {
  readonly #settings: LineSettings;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #balances = new Map<number, Balance>();
  readonly #ahead = new Map<number, { words: string; at: number }>();
  readonly #masking: { bytes: number; at: number };

  constructor(settings: LineSettings = NO_LINES, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#masking = { bytes: MASKED_AT_ONCE, at: clock.monotonic() };
  }

  readonly read: LineReader = async (db, connection_id, piece) => {
    const { keep_literals } = this.#settings;
    const balance = await this.#balanceOf(db, connection_id);
    const bytes = Math.min(balance.bytes / PART / balance.ratio, this.#maskable());
    const found = await eventsOf({ ...piece, keep_literals, room: { bytes } });
    this.#spend(balance, found);
    return { ...found, notice: this.#noticeOf(connection_id, found) };
  };

  #noticeOf(connection_id: number, { ahead_ms }: PieceEvents): string | undefined {
    const now = this.#clock.monotonic();
    if (ahead_ms !== undefined) this.#ahead.set(connection_id, { words: aheadBy(ahead_ms), at: now });
    const said = this.#ahead.get(connection_id);
    return said && now - said.at < SAID_MS ? said.words : undefined;
  }

  async #balanceOf(db: Db, connection_id: number): Promise<Balance> {
    const now = this.#clock.monotonic();
    const half = this.#settings.bytes_per_day / 2;
    const known = this.#balances.get(connection_id);
    if (known && now - known.loaded_at < KNOWN_MS) {
      known.bytes = Math.min(half, known.bytes + (half * (now - known.at)) / DAY_MS);
      known.at = now;
      return known;
    }
    const stored = half === 0 ? 0 : await storedOr0(db, connection_id);
    const bytes = Math.max(0, Math.min(half, 2 * half - stored));
    const balance = { bytes, at: now, loaded_at: now, ratio: known?.ratio ?? RATIO };
    this.#balances.set(connection_id, balance);
    return balance;
  }

  #maskable(): number {
    const now = this.#clock.monotonic();
    const { bytes, at } = this.#masking;
    this.#masking.bytes = Math.min(MASKED_AT_ONCE, bytes + ((now - at) / 1000) * MASKED_A_SECOND);
    this.#masking.at = now;
    return this.#masking.bytes;
  }

  #spend(balance: Balance, { blocks }: PieceEvents): void {
    let stored = 0;
    let unpacked = 0;
    for (const { body, words, unpacked_bytes } of blocks) {
      stored += body.length + words.length;
      unpacked += unpacked_bytes;
    }
    if (unpacked === 0) return;
    balance.bytes = Math.max(0, balance.bytes - stored);
    balance.ratio = (balance.ratio * 3 + stored / unpacked) / 4;
    this.#masking.bytes = Math.max(0, this.#masking.bytes - unpacked);
  }
}
