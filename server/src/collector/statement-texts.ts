// Texts of statements: fetched from a monitored server only for statements whose text is not kept yet, blanked of
// secrets, and kept once in the datastore. Guards: it never holds up a sweep for longer than a moment, a server that
// is slow to hand its texts out is asked ever less often, and while the datastore is away nothing is asked at all.
import { type Clock, sleep } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import type { Log } from '../kernel/log.ts';
import type { SqlProbe, StatementKey } from '../probes/types.ts';
import { storable, storableKey } from '../store/content.ts';
import type { Row } from '../store/types.ts';
import { type Answer, runBatch } from './batch.ts';
import { KnownKeys, keyText } from './known-keys.ts';
import { textsStatement } from './probe.queries.ts';
import { scrubSecrets } from './scrub.ts';
import type { Session } from './session.ts';
import { keepTexts, knownTexts, type Place, type StatementText } from './statement-texts.queries.ts';

/** The server reads its whole file of texts however few are wanted, so rather many at once than often. */
const AT_ONCE = 1000;
const MAX_TEXT = 6000;
const TIMEOUT_MS = 5000;
/** A sweep waits so long for the datastore. */
const DATASTORE_MS = 1000;
const AWAY_MS = 30_000;
const PAUSE_MS = 600_000;
const LONGEST_PAUSE_MS = 6 * 3_600_000;

const INTEGER = /^-?\d{1,20}$/;

interface Options {
  db: Pick<Db, 'rows' | 'run'>;
  clock: Clock;
  log: Log;
}

export interface TextsWanted {
  readonly probe: SqlProbe;
  readonly place: Place;
  /** Of the probe's run, those that matter most first. */
  readonly rows: readonly Row[];
  /** Told how long the server took, when it was asked. */
  readonly onTook?: (ms: number) => void;
}

/** The key in a row, whoever sent it; undefined when it is none. */
function keyOf({ userid, queryid, toplevel }: Row): StatementKey | undefined {
  const key = { userid: String(userid), queryid: String(queryid), toplevel: toplevel === true };
  return INTEGER.test(key.userid) && INTEGER.test(key.queryid) ? key : undefined;
}

function textOf(row: Row, wanted: ReadonlySet<string>): StatementText | undefined {
  const key = keyOf(row);
  const { query_text } = row;
  if (!key || typeof query_text !== 'string' || !wanted.has(keyText(key))) return undefined;
  return { ...key, query_text: storable(scrubSecrets(query_text.slice(0, MAX_TEXT))) };
}

export class StatementTexts {
  readonly #options: Options;
  readonly #known = new KnownKeys();
  readonly #pauses = new Map<string, { failures: number; until: number }>();
  #awayUntil = Number.NEGATIVE_INFINITY;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Fetches and keeps the texts that are missing, as far as that can be done now. Never rejects. */
  async fetch(session: Session, { probe, place: named, rows, onTook }: TextsWanted): Promise<void> {
    const now = this.#options.clock.monotonic();
    const place = { ...named, database_name: storableKey(named.database_name) };
    const name = `${place.connection_id}/${place.database_name}`;
    if (now < this.#awayUntil || now < (this.#pauses.get(name)?.until ?? now)) return;
    const keys = rows.flatMap((row) => keyOf(row) ?? []);
    const unknown = this.#known.unknown(name, keys, now);
    if (unknown.length === 0) return;
    const kept = await this.#ask((db) => db.rows<StatementKey>(knownTexts(place, unknown)));
    if (!kept) return;
    this.#known.add(name, kept, now);
    const wanted = this.#known.unknown(name, unknown, now).slice(0, AT_ONCE);
    const text = textsStatement(probe, session.capabilities, { wanted, maxText: MAX_TEXT });
    if (wanted.length === 0 || text === undefined) return;
    const [answer] = await runBatch(session, [{ text, timeoutMs: TIMEOUT_MS }]);
    if (answer && answer.kind !== 'unreached') onTook?.(answer.took_ms);
    const texts = this.#read(name, answer, wanted);
    if (!texts) return;
    const done = texts.length === 0 || (await this.#ask((db) => db.run(keepTexts(place, texts))));
    // A text that the server has lost is not asked for again and again.
    if (done !== undefined) this.#known.add(name, wanted, now);
  }

  #read(
    name: string,
    answer: Answer | undefined,
    wanted: readonly StatementKey[],
  ): StatementText[] | undefined {
    if (answer?.kind === 'answered') {
      this.#pauses.delete(name);
      const keys = new Set(wanted.map(keyText));
      return answer.rows.flatMap((row) => textOf(row, keys) ?? []);
    }
    if (answer?.kind === 'refused') {
      const failures = (this.#pauses.get(name)?.failures ?? 0) + 1;
      const pause = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** (failures - 1));
      this.#pauses.set(name, { failures, until: this.#options.clock.monotonic() + pause });
      this.#options.log.warn({ event: 'collector.texts_refused', place: name, err: answer.error });
    }
    return undefined;
  }

  /** Undefined when the datastore does not answer in a moment; then nothing is asked of it for a while. */
  async #ask<T>(question: (db: Options['db']) => Promise<T>): Promise<T | undefined> {
    const answered = new AbortController();
    const late = sleep(DATASTORE_MS, answered.signal).then(() => undefined);
    try {
      const work = question(this.#options.db);
      work.catch(() => undefined);
      const answer = await Promise.race([work, late]);
      if (answer === undefined) this.#awayUntil = this.#options.clock.monotonic() + AWAY_MS;
      return answer;
    } catch (error) {
      this.#awayUntil = this.#options.clock.monotonic() + AWAY_MS;
      this.#options.log.warn({ event: 'collector.texts_waiting', err: error });
      return undefined;
    } finally {
      answered.abort();
    }
  }
}
