// Tells systemd how the program does, by its program systemd-notify: the runtime cannot send a datagram to a Unix socket. Guards: messages
// arrive in order; the sign of life comes from the event loop, so it ends where that is stuck; each repeats the state, so that a lost
// message does no harm; one that cannot be sent is logged and stops nothing.
import { execFile } from 'node:child_process';
import type { Log } from './log.ts';

/** What systemd puts into the environment of a service. */
export interface ServiceVariables {
  /** NOTIFY_SOCKET: where it listens. */
  socket: string | undefined;
  /** WATCHDOG_USEC: it ends the service that gives no sign of life for so long. */
  watchdog: string | undefined;
}

export interface ServiceManager {
  /** A sentence on what the start is at, shown by `systemctl status`. */
  progress(sentence: string): void;
  ready(sentence: string): void;
  /** Runs what a reload asks for. */
  during(reload: () => void): void;
  stopping(): void;
}

/** The state is repeated at least so often. */
const USUAL_MS = 60_000;
/** The start may take so much longer from each sign of life. */
const START_USEC = 180_000_000;
/** systemd-notify itself waits for 5 s until the message was taken. */
const SEND_MS = 10_000;

/** Of a start without systemd. */
const NO_MANAGER: ServiceManager = {
  progress: () => undefined,
  ready: () => undefined,
  during: (reload) => reload(),
  stopping: () => undefined,
};

function send(socket: string, assignments: readonly string[]): Promise<void> {
  const env = { PATH: '/usr/bin:/bin', NOTIFY_SOCKET: socket };
  return new Promise((resolve, reject) => {
    execFile('systemd-notify', assignments, { env, cwd: '/', timeout: SEND_MS }, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

/** Half of what the watchdog waits. */
function beatMs(watchdog: string | undefined): number {
  const half = Number(watchdog) / 2000;
  return half > 0 ? Math.min(half, USUAL_MS) : USUAL_MS;
}

class Systemd implements ServiceManager {
  readonly #socket: string;
  readonly #log: Log;
  readonly #beat: NodeJS.Timeout;
  #state: 'starting' | 'ready' | 'stopping' = 'starting';
  #sent: Promise<void> = Promise.resolve();
  #waiting = 0;
  #hasFailed = false;

  constructor(socket: string, { watchdog }: ServiceVariables, log: Log) {
    this.#socket = socket;
    this.#log = log;
    this.#beat = setInterval(() => this.#signOfLife(), beatMs(watchdog)).unref();
    this.#signOfLife();
  }

  #tell(...assignments: string[]): void {
    this.#waiting += 1;
    this.#sent = this.#sent
      .then(() => send(this.#socket, assignments))
      .then(
        () => {
          this.#hasFailed = false;
        },
        (cause: unknown) => {
          // The first of a row.
          if (!this.#hasFailed) this.#log.warn({ event: 'service.not_notified', err: cause });
          this.#hasFailed = true;
        },
      )
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  #signOfLife(): void {
    if (this.#waiting > 0) return;
    if (this.#state === 'starting') this.#tell(`EXTEND_TIMEOUT_USEC=${START_USEC}`);
    else this.#tell('READY=1', 'WATCHDOG=1');
  }

  progress(sentence: string): void {
    this.#tell(`STATUS=${sentence}`);
  }

  ready(sentence: string): void {
    if (this.#state !== 'starting') return;
    this.#state = 'ready';
    this.#tell('READY=1', 'WATCHDOG=1', `STATUS=${sentence}`);
  }

  during(reload: () => void): void {
    const isReady = this.#state === 'ready';
    if (isReady) this.#tell('RELOADING=1');
    reload();
    if (isReady) this.#tell('READY=1');
  }

  stopping(): void {
    if (this.#state === 'stopping') return;
    this.#state = 'stopping';
    clearInterval(this.#beat);
    this.#tell('STOPPING=1', 'STATUS=Stopping');
  }
}

/** What started us; where that was not systemd, nothing is sent. */
export function serviceManager(variables: ServiceVariables, log: Log): ServiceManager {
  const { socket } = variables;
  return socket ? new Systemd(socket, variables, log) : NO_MANAGER;
}
