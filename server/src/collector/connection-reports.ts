// What the datastore and the log are told of one connection: that it is well, once, or why it is not, each time.
import type { TargetError } from '../monitored/connect.ts';
import type { Shared } from './types.ts';

export class ConnectionReports {
  readonly #shared: Shared;
  readonly #lease: { readonly connection_id: number; readonly epoch: number };
  #isWell = false;

  constructor(shared: Shared, lease: { connection_id: number; epoch: number }) {
    const { connection_id, epoch } = lease;
    this.#shared = shared;
    this.#lease = { connection_id, epoch };
  }

  /** The connection was edited: what was said of it is out of date. */
  forget(): void {
    this.#isWell = false;
  }

  well(): void {
    if (this.#isWell) return;
    this.#isWell = true;
    const { clock, writer, log } = this.#shared;
    writer.report({ ...this.#lease, at: clock.now(), error: null, consecutive_failures: 0 });
    log.info({ event: 'collector.connected', connection_id: this.#lease.connection_id });
  }

  unreachable({ message, step, code }: TargetError, failures: number): void {
    const { clock, writer, log } = this.#shared;
    writer.report({ ...this.#lease, at: clock.now(), error: message, consecutive_failures: failures });
    const level = failures === 1 || this.#isWell ? 'warn' : 'debug';
    const { connection_id } = this.#lease;
    log[level]({ event: 'collector.unreachable', connection_id, step, code, failures });
    this.#isWell = false;
  }

  /** A mistake of ours; it must not end the process, and has to be seen. */
  unexpected(error: unknown): void {
    const { connection_id } = this.#lease;
    this.#shared.log.error({ event: 'collector.unexpected', connection_id, err: error });
  }
}
