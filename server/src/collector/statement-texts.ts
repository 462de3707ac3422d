// Texts of statements: fetched from a monitored server only for statements whose text is not stored yet, blanked of
// secrets, and stored once in the datastore. Guards: it never delays a tick by more than a moment, a server that is
// slow to return its texts is asked ever less often, and while the datastore is away nothing is asked.

import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import { cutText } from '../kernel/inert-text.ts';
import type { Log } from '../kernel/log.ts';
import { uncut } from '../monitored/foreign-text.ts';
import type { SqlProbe, StatementKey } from '../probes/types.ts';
import { storable, storableKey } from '../store/format/content.ts';
import { type ReadRow, type Row, valueIn } from '../store/layout/types.ts';
import { BriefAsks } from './brief-asks.ts';
import { KnownKeys, keyText } from './known-keys.ts';
import { type Answer, runPipeline } from './pipeline.ts';
import { textsStatement } from './probe.queries.ts';
import type { Scrubber } from './scrub.ts';
import type { Session } from './session.ts';
import { keepTexts, knownTexts, type StatementText, type StoredKey } from './statement-texts.queries.ts';

/** The server reads its whole file of texts however few are wanted, so rather many at once than often. */
const AT_ONCE = 1000;
const MAX_TEXT = 6000;
const TIMEOUT_MS = 5000;
const PAUSE_MS = 600_000;
const LONGEST_PAUSE_MS = 6 * 3_600_000;
/**
 * A server reads all of its texts to return a few: after an answer that took a second, a quarter of an hour passes before
 * the next, so that texts take a thousandth of a core however large they are.
 */
const REST_FACTOR = 1000;
/** Texts wait for readings no longer than this. */
const LONGEST_WAIT_MS = 600_000;

const INTEGER = /^-?\d{1,20}$/;

interface Options {
  db: Pick<Db, 'rows' | 'run'>;
  clock: Clock;
  log: Log;
  scrubber: Scrubber;
  /** How long a tick waits for the datastore; milliseconds. */
  datastoreMs?: number;
  /** Servers wait to be read, which comes first: to store a text takes the datastore longer than to store a reading. */
  isBusy?: () => boolean;
}

export interface TextsRequest {
  readonly probe: SqlProbe;
  readonly connection_id: number;
  readonly epoch: number;
  /** Of the probe's run, by database, those that matter most first. */
  readonly read: readonly { readonly database_name: string; readonly rows: readonly ReadRow[] }[];
  /** Told how long the server took, when it was asked. */
  readonly onTook?: (ms: number) => void;
}

/** The key in a row, whoever sent it; undefined when it is none. */
function keyOf(row: ReadRow): StatementKey | undefined {
  const idIn = (name: string) => String(valueIn(row, name));
  const ids = { dbid: idIn('dbid'), userid: idIn('userid'), queryid: idIn('queryid') };
  const areIds = Object.values(ids).every((id) => INTEGER.test(id));
  return areIds ? { ...ids, toplevel: valueIn(row, 'toplevel') === true } : undefined;
}

/** As the server tells them apart, and as the dictionary does. */
const keyThere = (key: StatementKey) => `${key.dbid}/${keyText(key)}`;
const keyHere = (key: StoredKey) => `${keyText(key)}/${key.database_name}`;

type WantedKey = StatementKey & StoredKey;

function textsOf(rows: readonly Row[], wanted: readonly WantedKey[], scrubber: Scrubber): StatementText[] {
  const names = new Map(wanted.map((key) => [keyThere(key), key.database_name]));
  return rows.flatMap((row) => {
    const key = keyOf(row);
    const { query_text } = row;
    const database_name = key && names.get(keyThere(key));
    if (!key || database_name === undefined || typeof query_text !== 'string') return [];
    const { userid, queryid, toplevel } = key;
    const text = storable(scrubber.statement(cutText(uncut(query_text), MAX_TEXT)));
    return [{ database_name, userid, queryid, toplevel, query_text: text }];
  });
}

export class StatementTexts {
  readonly #options: Options;
  readonly #known = new KnownKeys();
  readonly #pauses = new Map<number, { failures: number; until: number }>();
  /** Connections whose texts wait for readings, and since when. */
  readonly #waiting = new Map<number, number>();
  readonly #asks: BriefAsks<Options['db']>;

  constructor(options: Options) {
    this.#options = options;
    this.#asks = new BriefAsks({ ...options, event: 'collector.texts_waiting' });
  }

  /** Fetches and keeps the texts that are missing, as far as that can be done now. Never rejects. */
  async fetch(session: Session, wanted: TextsRequest): Promise<void> {
    const { probe, connection_id, onTook } = wanted;
    const now = this.#options.clock.monotonic();
    if (this.#asks.isAway || now < (this.#pauses.get(connection_id)?.until ?? now)) return;
    if (this.#waits(connection_id, now)) return;
    const keys = await this.#missing(wanted, now);
    const text = textsStatement(probe, session.capabilities, { wanted: keys, maxText: MAX_TEXT });
    if (keys.length === 0 || text === undefined) return;
    const [answer] = await runPipeline(session, [
      { text, timeoutMs: TIMEOUT_MS, how: { columns: 5, rows: keys.length } },
    ]);
    if (answer && answer.kind !== 'unreached') onTook?.(answer.server_ms);
    const rows = this.#read(connection_id, answer);
    if (!rows) return;
    const texts = textsOf(rows, keys, this.#options.scrubber);
    const done = texts.length === 0 || (await this.#asks.ask((db) => db.run(keepTexts(wanted, texts))));
    // A text that the server has lost is not asked for again and again.
    if (done !== undefined) this.#know(connection_id, keys, now);
  }

  #waits(connection_id: number, now: number): boolean {
    const isBusy = this.#options.isBusy?.() === true;
    const since = this.#waiting.get(connection_id) ?? now;
    if (isBusy && now - since < LONGEST_WAIT_MS) this.#waiting.set(connection_id, since);
    else this.#waiting.delete(connection_id);
    return this.#waiting.has(connection_id);
  }

  /** What neither we nor the datastore know, of all databases together no more than is asked for at once. */
  async #missing({ connection_id, read }: TextsRequest, now: number): Promise<WantedKey[]> {
    const unknown = read.flatMap(({ database_name: told, rows }): WantedKey[] => {
      const database_name = storableKey(told);
      const keys = rows.flatMap((row) => keyOf(row) ?? []);
      return this.#known
        .unknown(`${connection_id}/${database_name}`, keys, now)
        .map((key) => ({ ...key, database_name }));
    });
    if (unknown.length === 0) return [];
    const kept = await this.#asks.ask((db) => db.rows<StoredKey>(knownTexts(connection_id, unknown)));
    if (!kept) return [];
    this.#know(connection_id, kept, now);
    const known = new Set(kept.map(keyHere));
    return unknown.filter((key) => !known.has(keyHere(key))).slice(0, AT_ONCE);
  }

  #know(connection_id: number, keys: readonly StoredKey[], now: number): void {
    for (const [name, own] of Map.groupBy(keys, ({ database_name }) => database_name))
      this.#known.add(`${connection_id}/${name}`, own, now);
  }

  #read(connection_id: number, answer: Answer | undefined): readonly Row[] | undefined {
    if (answer?.kind === 'answered') {
      const rest = Math.min(LONGEST_PAUSE_MS, answer.server_ms * REST_FACTOR);
      this.#pauses.set(connection_id, { failures: 0, until: this.#options.clock.monotonic() + rest });
      return answer.rows;
    }
    if (answer?.kind === 'refused') {
      const failures = (this.#pauses.get(connection_id)?.failures ?? 0) + 1;
      const pause = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** (failures - 1));
      this.#pauses.set(connection_id, { failures, until: this.#options.clock.monotonic() + pause });
      const { error } = answer;
      if (error.code !== 'closed')
        this.#options.log.warn({ event: 'collector.texts_refused', connection_id, err: error });
    }
    return undefined;
  }
}
