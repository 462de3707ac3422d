// What takes syslog in a test, over a datastore, and how messages are sent to it: as rsyslog and libc write them.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { Scrubber } from '../../collector/scrub.ts';
import { type Syslog, startSyslog } from '../../collector/syslog/syslog.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Log } from '../../kernel/log.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import type { SyslogSettings } from '../../kernel/syslog-settings.ts';
import { manualClock } from '../manual-clock.ts';
import { KEPT_LINES } from './kept-lines.ts';

const LOCAL = { host: '127.0.0.1', port: 0 };
const POLL = { timeout: 60_000, interval: 20 };

export interface SyslogHouse {
  syslog: Syslog;
  udp: number;
  tcp: number;
  /** Until it is so; seconds pass at each look, unless the clock is the real one. */
  until<T>(look: () => Promise<T> | T): ReturnType<typeof expect.poll<T>>;
  /** What was not taken, by its reason. */
  outcomes(): Record<string, number>;
}

export async function syslogHouse(
  db: Db,
  {
    senders,
    tls,
    log = silentLog,
    isReal = false,
  }: { senders: SyslogSettings['senders']; tls?: SyslogSettings['tls']; log?: Log; isReal?: boolean },
): Promise<SyslogHouse> {
  const moved = isReal ? undefined : manualClock(Date.now());
  const clock = moved ?? systemClock;
  const scrubber = new Scrubber([]);
  const scrub = (text: string) => scrubber.statement(text);
  const settings = { udp: LOCAL, tcp: LOCAL, tls, senders };
  const syslog = await startSyslog({ settings, lines: KEPT_LINES, db, clock, log, scrub });
  if (!syslog) return expect.fail('nothing listens');
  return {
    syslog,
    udp: syslog.udp?.port ?? 0,
    tcp: syslog.tcp?.port ?? 0,
    until: (look) =>
      expect.poll(() => {
        moved?.advance(500);
        return look();
      }, POLL),
    outcomes: () => {
      const [figure] = syslog.figures();
      return Object.fromEntries(
        (figure?.values ?? []).map(({ labels, value }) => [labels?.outcome, value ?? 0]),
      );
    },
  };
}

export async function sendUdp(port: number, messages: readonly (string | Buffer)[]): Promise<void> {
  const socket = createSocket('udp4');
  for (const message of messages)
    await new Promise((resolve) => socket.send(message, port, '127.0.0.1', resolve));
  socket.close();
}

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

export async function sendTcp(port: number, bytes: string | Buffer): Promise<void> {
  const socket = await open(port);
  socket.end(bytes);
  await closed(socket);
}

/** However it ends. */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()));

/** By octet counting. */
export const counted = (messages: readonly string[]): string =>
  messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join('');

export const countsOf = (db: Db, id: number) =>
  db.rows<{ class: string; sqlstate: string; severity: string; database_name: string; n: number }>(sql`
    select c.class, c.sqlstate, c.severity, c.database_name, sum(c.events)::int as n
    from matriarch.log_counts c
    where c.connection_id = ${id}
    group by 1, 2, 3, 4
    order by 1`);

export const gapsOf = (db: Db, id: number) =>
  db.rows<{ file_name: string; bytes: number; reason: string }>(sql`
    select g.file_name, sum(g.bytes)::float8 as bytes, g.reason from matriarch.log_gaps g
    where g.connection_id = ${id} group by 1, 3 order by 3`);
