// A session on the datastore that shows that this collector is alive. It holds a lock, which the datastore releases
// within a moment of our death, so that other collectors need not wait until our leases end. Guards: a collector that
// hangs is found as well, because the datastore ends a session that is silent; a broken session is replaced at once;
// only collectors that FailureDetector calls dead are evicted, and what they wrote under their leases stays.
import pg from 'pg';
import { type Clock, sleep } from '../kernel/clock.ts';
import { errorCode } from '../kernel/errors.ts';
import type { Part } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { Secret } from '../kernel/secret.ts';
import { clientOptions } from '../kernel/session.ts';
import type { Sql } from '../kernel/sql.ts';
import { withVisibleName } from '../kernel/statement-name.ts';
import { FailureDetector, type Other } from './failure-detector.ts';
import { evict, others, showPresence } from './presence.queries.ts';

export interface Presence extends Part {
  /** False while nobody can see that we live: then it has to be said more often. */
  readonly isShown: boolean;
  /** There are others: they are watched closely from now on. */
  lookAround(): void;
}

export interface PresenceOptions {
  /** The datastore. */
  url: Secret;
  owner: string;
  /** A collector that has ended for sure. */
  before?: string | undefined;
  clock: Clock;
  log: Log;
  /** Told when something became free, and when isShown has changed. */
  onChange(): void;
}

const LOOK_MS = 400;
/** While there is nobody else; well below the time after which the datastore ends a silent session. */
const ALONE_MS = 6000;
const RETRY_MS = 250;
/** Whoever does not answer for so long is not there. */
const ANSWER_MS = 3000;
const END_MS = 500;
/**
 * The datastore's side: silence ends the session, whatever became of our machine and the way there, so that keepalives
 * add nothing; and an eviction never waits for long.
 */
const SERVER_SIDE = '-c idle_session_timeout=8s -c lock_timeout=2s';

class Shown implements Presence {
  readonly name = 'presence';
  readonly #options: PresenceOptions;
  readonly #absences: FailureDetector;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #isShown = false;
  /** Ends the pause of who is alone. */
  #company: AbortController | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#absences = new FailureDetector(options.before);
    this.#done = this.#run();
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  lookAround(): void {
    this.#company?.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const client = this.#client();
      // Without a listener a session that breaks would end the process; the next statement finds it broken.
      client.on('error', () => undefined);
      const ended = new AbortController();
      client.once('end', () => ended.abort());
      // A datastore that answers nothing must not hold up our end.
      const leave = () => void client.end().catch(() => undefined);
      signal.addEventListener('abort', leave, { once: true });
      try {
        await this.#show(client, AbortSignal.any([signal, ended.signal]));
      } catch (error) {
        if (this.#isShown)
          this.#options.log.info({ event: 'collector.presence_lost', code: errorCode(error) });
      }
      signal.removeEventListener('abort', leave);
      this.#set(false);
      await Promise.race([client.end().catch(() => undefined), sleep(END_MS)]);
      await this.#options.clock.sleep(RETRY_MS, signal);
    }
  }

  #client(): pg.Client {
    const options = clientOptions(this.#options.url, 'matriarch presence');
    return new pg.Client({
      ...options,
      options: `${options.options} ${SERVER_SIDE}`,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
  }

  #set(isShown: boolean): void {
    if (this.#isShown === isShown) return;
    this.#isShown = isShown;
    this.#options.onChange();
  }

  async #waitForCompany(signal: AbortSignal): Promise<void> {
    this.#company = new AbortController();
    await this.#options.clock.sleep(ALONE_MS, AbortSignal.any([signal, this.#company.signal]));
    this.#company = undefined;
  }

  async #show(client: pg.Client, signal: AbortSignal): Promise<void> {
    const { owner, clock, log, onChange } = this.#options;
    const run = <T extends pg.QueryResultRow>({ text, values, name }: Sql) =>
      client.query<T>({
        text: withVisibleName(text),
        values: [...values],
        ...(name !== undefined && { name }),
      });
    await client.connect();
    await run(showPresence(owner));
    this.#absences.begin(clock.monotonic());
    this.#set(true);
    while (!signal.aborted) {
      const { rows } = await run<Other & pg.QueryResultRow>(others(owner));
      const dead = this.#absences.judge(rows, clock.monotonic());
      if (dead.length > 0) {
        const { rowCount } = await run(evict(dead));
        if (rowCount) log.warn({ event: 'collector.others_died', owners: dead, connections: rowCount });
        onChange();
      }
      if (rows.length > 0) await clock.sleep(LOOK_MS, signal);
      else await this.#waitForCompany(signal);
    }
  }
}

/** Opens the session in the background and keeps one open. */
export function showThatWeLive(options: PresenceOptions): Presence {
  return new Shown(options);
}
