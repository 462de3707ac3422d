// What collecting leaves behind on one monitored server: the time it takes and the entries of pg_stat_statements, told by its
// sessions, kept within their limits, and written down.
import type { Log } from '../kernel/log.ts';
import { COLLECTOR, type CostReport, OwnCost } from './own-cost.ts';
import { OwnLog } from './own-log.ts';
import { OwnStatements } from './own-statements.ts';
import type { Plan } from './plan.ts';
import type { SessionWatch } from './session.ts';
import type { Shared } from './types.ts';

export class OwnFootprint {
  readonly cost: OwnCost;
  readonly statements = new OwnStatements();
  readonly watch: SessionWatch;
  readonly #plan: Plan;
  readonly #log: Log;
  readonly #connectionId: number;

  constructor(shared: Shared, { plan, connection_id }: { plan: Plan; connection_id: number }) {
    this.#plan = plan;
    this.#log = shared.log;
    this.#connectionId = connection_id;
    this.cost = new OwnCost(shared.budget);
    const ownLog = new OwnLog();
    this.watch = {
      ownLog,
      opened: () => this.cost.opened(),
      closed: () => this.cost.closed(),
      ran: (text, failed, database) => {
        ownLog.ran(text, shared.clock.monotonic());
        const ran = shared.ledger.ran(connection_id, text, { at: shared.clock.now(), failed });
        if (!failed) this.statements.ran(database, ran);
      },
    };
  }

  /** What is to be written down of it, as far as that has changed. */
  report(now: number): CostReport[] {
    const { report } = this.statements;
    return this.cost
      .report(this.#plan.planned, now)
      .map((cost) => (cost.probe === COLLECTOR ? { ...cost, ...report } : cost));
  }

  keepBudget(now: number): void {
    const { cost } = this;
    if (!cost.isDue(now) || cost.isWithinBudget((tell) => this.#plan.eachPlanned(tell))) return;
    const before = cost.factors;
    const factors = cost.settle(this.#plan.planned, now);
    if (!factors) return;
    this.#plan.stretch(factors, now);
    const event = factors.size >= before.size ? 'collector.slowed' : 'collector.quickened';
    this.#log.info({ event, connection_id: this.#connectionId, factors: Object.fromEntries(factors) });
  }
}
