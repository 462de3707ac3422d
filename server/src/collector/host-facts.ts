// Host facts of one server, gathered beside its ticks so that a slow source delays none of them. Guards: one
// gathering at a time, and nothing is stored of one whose session broke meanwhile.
import { nextTick, phaseOf } from './plan.ts';
import type { Session } from './session.ts';
import type { SweepTarget } from './sweep.ts';

export class HostFacts {
  /** Monotonic time at which they are due. */
  due: number;
  readonly #serverKey: string;
  #running: Promise<void> | undefined;

  constructor(serverKey: string, now: number) {
    this.#serverKey = serverKey;
    this.due = now;
  }

  /** Starts gathering when due and not under way. Resolves when the current gathering is over; never rejects. */
  run(at: SweepTarget, session: Session, signal: AbortSignal): Promise<void> {
    const { hosts, clock } = at.shared;
    const idle = this.#running === undefined && clock.monotonic() >= this.due;
    if (hosts && idle) {
      this.#running = this.#gather(at, session, signal).finally(() => {
        this.#running = undefined;
      });
    }
    return this.#running ?? Promise.resolve();
  }

  async #gather(at: SweepTarget, session: Session, signal: AbortSignal): Promise<void> {
    const { hosts, clock, writer, log } = at.shared;
    if (!hosts) return;
    const { connection_id, node_exporter_url, settings } = at.target;
    const intervalMs = hosts.interval_seconds * 1000;
    const started = clock.monotonic();
    const attempted_at = clock.now();
    this.due = nextTick(started, intervalMs, phaseOf(this.#serverKey, hosts.probe, intervalMs));
    const common = { connection_id, epoch: at.epoch, probe: hosts.probe, database_name: '', attempted_at };
    try {
      const rows = await hosts.collect({
        query: (statement) => session.client.query(statement.text, statement.values),
        node_exporter_url,
        allow_private_networks: settings.allow_private_networks,
        clock,
        signal,
      });
      if (session.lost() || signal.aborted) {
        this.due = clock.monotonic();
        return;
      }
      const outcome = {
        kind: 'ran' as const,
        collected_at: attempted_at,
        rows: rows.map((row) => ({ ...row })),
        history_by: undefined,
      };
      writer.add({ ...common, took_ms: clock.monotonic() - started, outcome });
    } catch (error) {
      log.warn({ event: 'collector.host_failed', connection_id, err: error });
      const reason = 'Gathering host facts failed.';
      writer.add({ ...common, took_ms: null, outcome: { kind: 'failed', reason } });
    }
  }
}
