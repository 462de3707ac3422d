// Takes logs of servers by syslog: which connection each message is of, and what was not taken. Guards: what was not taken is counted by its
// reason; work that comes from outside is bounded in memory; a datastore that is away stops nothing.
import { setImmediate as socketsRead } from 'node:timers/promises';
import { clocksAhead } from '../../estate/log-intake/log-intake.service.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Figure } from '../../kernel/figures.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { once } from '../../kernel/once.ts';
import type { ListenAddress, SyslogSettings } from '../../kernel/syslog-settings.ts';
import { LineKeeper, type LineSettings } from '../logs/line-keeper.ts';
import { linePrefixes } from './line-prefixes.ts';
import { readMessage } from './message.ts';
import { namedConnections } from './received.queries.ts';
import { Received, type Storing } from './received.ts';
import { connectionsByName, Senders, type SendersAt, senderOf } from './senders.ts';
import { type Listening, listenTcp, listenUdp, type SocketEvents } from './sockets.ts';
import { udpDrops } from './udp-drops.ts';

const EVERY_MS = 1000;
const KNOWN_MS = 30_000;
const REPORT_MS = 60_000;
/** Of all connections. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What was not taken; `other`: of another program or host of a server that may send, which is usual. */
const REASONS = ['refused', 'unassigned', 'unreadable', 'other', 'read_elsewhere', 'too_many'] as const;
type Reason = (typeof REASONS)[number];
const none = (): Record<Reason, number> => ({
  ...{ refused: 0, unassigned: 0, unreadable: 0, other: 0, read_elsewhere: 0, too_many: 0 },
});

export interface SyslogOptions {
  readonly settings: SyslogSettings;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** What is kept of lines; none when absent. */
  readonly lines?: LineSettings;
  scrub(text: string): string;
}

export interface Syslog extends Part {
  readonly udp: ListenAddress | undefined;
  readonly tcp: ListenAddress | undefined;
  figures(): readonly Figure[];
}

class Intake implements SocketEvents {
  readonly senders: Senders;
  readonly #options: SyslogOptions;
  readonly #storing: Storing;
  readonly #received = new Map<number, Received>();
  readonly #dropped = none();
  #reported = none();
  /** Datagrams that the kernel threw away; null where the system does not say. */
  #overrun: number | null;
  #overrunReported = 0;
  #reportedAt: number;
  #stored = 0;
  #known: ReadonlyMap<string, number> = new Map();
  #prefixes: ReadonlyMap<number, string> = new Map();
  #ahead: ReadonlyMap<number, number> = new Map();
  /** About; what came since the last flush is added. */
  #size = 0;
  #knownAt = Number.NEGATIVE_INFINITY;

  constructor(options: SyslogOptions) {
    const { settings, db, clock } = options;
    this.#options = options;
    this.#overrun = settings.udp ? null : 0;
    this.senders = new Senders(settings.senders);
    const { read } = new LineKeeper(options.lines);
    this.#storing = { db, read, now: () => clock.now(), scrub: options.scrub };
    this.#reportedAt = clock.monotonic();
  }

  message(bytes: Buffer, from: SendersAt): void {
    const { clock } = this.#options;
    const message = readMessage(bytes, clock.now());
    const sender = message && senderOf(from, message);
    const id = sender && this.#known.get(sender.connection);
    if (!message) this.#drop('unreadable');
    else if (!sender) this.#drop('other');
    else if (id === undefined) this.#drop('unassigned');
    else {
      const at = { now: clock.monotonic(), bytes: bytes.length, hasRoom: this.#size < MOST_BYTES };
      const ahead = this.#ahead.get(id);
      // What can be true of its time is judged by the clock that wrote it.
      const own = ahead === undefined ? message : (readMessage(bytes, clock.now() + ahead) ?? message);
      if (this.#of(id).add(own, at)) this.#size += bytes.length;
      else this.#drop('too_many');
    }
  }

  /** Where an address is of one connection alone it is known whose bytes they were. */
  lost(reason: 'line_too_long' | 'incomplete', bytes: number, from: SendersAt): void {
    const ids = new Set(from.map((sender) => this.#known.get(sender.connection)));
    const [id] = ids;
    if (bytes > 0 && ids.size === 1 && id !== undefined) this.#of(id).lose(reason, bytes);
    else if (bytes > 0) this.#drop('unreadable');
  }

  refused(): void {
    this.#drop('refused');
  }

  /** What the kernel threw away since the socket was opened: of which server it was is not known. */
  overrun(datagrams: number | undefined): void {
    if (datagrams !== undefined) this.#overrun = Math.max(this.#overrun ?? datagrams, datagrams);
  }

  broken(err: Error): void {
    this.#options.log.warn({ event: 'syslog.socket_failed', err });
  }

  #of(id: number): Received {
    const own = this.#received.get(id) ?? new Received(id);
    this.#received.set(id, own);
    return own;
  }

  #drop(reason: Reason): void {
    this.#dropped[reason] += 1;
  }

  /** Which connections the settings mean, as the datastore has them now. */
  async know(): Promise<void> {
    const { clock, db, settings } = this.#options;
    if (clock.monotonic() - this.#knownAt < KNOWN_MS) return;
    const wanted = [...new Set(settings.senders.map(({ connection }) => connection))];
    this.#known = connectionsByName(wanted, await namedConnections(db, wanted));
    const ids = [...new Set(this.#known.values())];
    [this.#prefixes, this.#ahead] = [await linePrefixes(db, ids), await clocksAhead(db, ids)];
    this.#knownAt = clock.monotonic();
  }

  async flush(isEnd = false): Promise<void> {
    const monotonic = this.#options.clock.monotonic();
    for (const [id, own] of this.#received)
      await own.count(this.#storing, {
        ...{ monotonic, isEnd, prefix: this.#prefixes.get(id), ahead_ms: this.#ahead.get(id) ?? 0 },
      });
    this.#size = [...this.#received.values()].reduce((sum, { size }) => sum + size, 0);
    // Of one that cannot be stored the others are not kept from it.
    const failures: unknown[] = [];
    for (const [id, own] of this.#received) {
      try {
        const { messages, outcome } = await own.store(this.#storing);
        this.#stored += messages;
        if (outcome === 'elsewhere') this.#drop('read_elsewhere');
      } catch (error) {
        failures.push(error);
      }
      if (own.isEmpty) this.#received.delete(id);
    }
    if (failures.length > 0) throw failures[0];
  }

  report(): void {
    const { clock, log } = this.#options;
    if (clock.monotonic() - this.#reportedAt < REPORT_MS) return;
    this.#reportedAt = clock.monotonic();
    const { other: _usual, ...dropped } = this.#dropped;
    const news: (readonly [string, number])[] = REASONS.flatMap((reason) => {
      const count = reason === 'other' ? 0 : dropped[reason] - this.#reported[reason];
      return count > 0 ? [[reason, count] as const] : [];
    });
    this.#reported = { ...this.#dropped };
    const overrun = (this.#overrun ?? this.#overrunReported) - this.#overrunReported;
    this.#overrunReported += overrun;
    if (overrun > 0) news.push(['overrun', overrun]);
    if (news.length > 0) log.warn({ event: 'syslog.dropped', ...Object.fromEntries(news) });
  }

  figures(): readonly Figure[] {
    return [
      {
        ...{ name: 'matriarch_syslog_messages_total', type: 'counter' },
        help: 'Messages of syslog, by what became of them.',
        values: [
          { labels: { outcome: 'stored' }, value: this.#stored },
          ...REASONS.map((reason) => ({ labels: { outcome: reason }, value: this.#dropped[reason] })),
          { labels: { outcome: 'overrun' }, value: this.#overrun },
        ],
      },
    ];
  }
}

/** Undefined where no address is set. */
export async function startSyslog(options: SyslogOptions): Promise<Syslog | undefined> {
  const { settings, log } = options;
  if (!settings.udp && !settings.tcp) return undefined;
  const intake = new Intake(options);
  await intake.know();
  const sockets: { udp?: Listening; tcp?: Listening } = {};
  if (settings.tcp) sockets.tcp = await listenTcp(settings.tcp, settings, intake);
  try {
    if (settings.udp) sockets.udp = await listenUdp(settings.udp, intake);
  } catch (error) {
    await sockets.tcp?.close();
    throw error;
  }
  const stopping = new AbortController();
  const round = async (isEnd = false) => {
    try {
      if (sockets.udp) intake.overrun(await udpDrops(sockets.udp.address.port));
      await intake.know();
      await intake.flush(isEnd);
    } catch (err) {
      log.warn({ event: 'syslog.store_failed', err });
    }
    intake.report();
  };
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await options.clock.sleep(EVERY_MS, stopping.signal);
      // After a stall of this thread a timer comes before the sockets, whose parts are not late but unread.
      await socketsRead();
      await round();
    }
  };
  const done = loop();
  const [udp, tcp] = [sockets.udp?.address, sockets.tcp?.address];
  const shown = (at: ListenAddress | undefined) => (at ? `${at.host}:${at.port}` : undefined);
  log.info({ event: 'syslog.listening', udp: shown(udp), tcp: shown(tcp), tls: settings.tls !== undefined });
  return {
    ...{ name: 'syslog', udp, tcp },
    figures: () => intake.figures(),
    stop: once(async () => {
      if (sockets.udp) intake.overrun(await udpDrops(sockets.udp.address.port));
      await Promise.all([sockets.udp?.close(), sockets.tcp?.close()]);
      stopping.abort();
      await done;
      await round(true);
    }),
  };
}
