// Plans of statements as they were seen, put together by shape: how often, what they took, how far the planner was off, and one example
// without values. Pure. Guards: rows, texts and names that come from outside are bounded; no value of a statement leaves here unmasked.
import type { SeenPlan } from '../../estate/server-logs/log-rows.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { keyOfText } from '../../logs/figures/statement-key.ts';
import type { MaskedPlan } from '../../plans/masked.ts';
import type { Plan, PlanNode } from '../../plans/types.ts';
import { nameOf, nodesOf } from '../../plans/walk.ts';
import { storable } from '../../store/format/content.ts';

const LONGEST_EXAMPLE = 128 * 1024;
const LONGEST_OUTLINE = 1000;
const LONGEST_NAME = 63;
const MOST_ESTIMATES = 500;
const DEEPEST = 100;

export interface PlanSighting {
  readonly database_name: string;
  /** Undefined: by the statement that the plan names. */
  readonly queryid?: string | undefined;
  readonly at: number;
  readonly masked: MaskedPlan;
}

/** `Sort (Seq Scan on orders)`. */
function outlineOf(node: PlanNode, depth = 0): string {
  const below = depth < DEEPEST ? node.children.map((one) => outlineOf(one, depth + 1)) : [];
  return below.length === 0 ? nameOf(node) : `${nameOf(node)} (${below.join('; ')})`;
}

const signed = ({ misestimate }: PlanNode): number => {
  if (misestimate === null) return 0;
  const factor = Number(Math.min(1e9, misestimate.factor).toPrecision(4));
  return misestimate.direction === 'more' ? factor : -factor;
};

const worse = (a: number, b: number) => (Math.abs(b) > Math.abs(a) ? b : a);

function figuresOf({ plan, analyzed, duration_ms, execution_ms, jit }: Plan) {
  const { buffers } = plan;
  return {
    ms: duration_ms ?? execution_ms,
    analyzed: analyzed ? 1 : 0,
    buffered: buffers === null ? 0 : 1,
    total_rows: plan.total_rows ?? 0,
    hit_blocks: buffers === null ? 0 : buffers.shared_hit + buffers.local_hit,
    read_blocks: buffers === null ? 0 : buffers.shared_read + buffers.local_read,
    temp_blocks: buffers === null ? 0 : buffers.temp_read + buffers.temp_written,
    jit_ms: jit?.total_ms ?? 0,
  };
}

/** Undefined: nothing says which statement it is of. */
function keyOf({ queryid, masked }: PlanSighting): string | undefined {
  const id = masked.plan.query_id ?? queryid;
  if (id !== undefined && /^-?[1-9]\d{0,19}$/.test(id)) return id;
  return masked.statement.trim() === '' ? undefined : keyOfText(masked.statement);
}

export class SeenPlans {
  readonly #rows = new Map<string, SeenPlan>();
  /** What the example of each is made of, once it is known which is kept. */
  readonly #examples = new Map<SeenPlan, MaskedPlan>();

  add(sighting: PlanSighting): void {
    const { at, masked } = sighting;
    const statement_key = keyOf(sighting);
    if (statement_key === undefined) return;
    const { ms, ...sums } = figuresOf(masked.plan);
    const row = this.#rowOf(sighting, statement_key);
    row.first_seen = Math.min(row.first_seen, at);
    row.last_seen = Math.max(row.last_seen, at);
    if (ms === null) row.planned += 1;
    else {
      row.logged += 1;
      row.total_ms += ms;
      row.worst_ms = Math.max(row.worst_ms ?? 0, ms);
      for (const name of [
        'analyzed',
        'buffered',
        'total_rows',
        'hit_blocks',
        'read_blocks',
        'temp_blocks',
        'jit_ms',
      ] as const)
        row[name] += sums[name];
    }
    const off = nodesOf(masked.plan.plan).slice(0, MOST_ESTIMATES).map(signed);
    row.misestimates = off.map((one, index) => worse(row.misestimates[index] ?? 0, one));
    if (!this.#examples.has(row) || (ms ?? -1) > (row.example_ms ?? -1)) {
      row.example_at = at;
      row.example_ms = ms;
      this.#examples.set(row, masked);
    }
  }

  #rowOf({ database_name, at, masked: { plan } }: PlanSighting, statement_key: string): SeenPlan {
    const name = storable(cutText(database_name, LONGEST_NAME));
    const key = JSON.stringify([name, statement_key, plan.plan_hash]);
    const known = this.#rows.get(key);
    if (known) return known;
    const row: SeenPlan = {
      ...{ database_name: name, statement_key, plan_hash: plan.plan_hash, nodes: plan.nodes },
      source: 'log',
      outline: storable(cutText(outlineOf(plan.plan), LONGEST_OUTLINE, '…')),
      ...{
        first_seen: at,
        last_seen: at,
        logged: 0,
        planned: 0,
        total_ms: 0,
        worst_ms: null,
        analyzed: 0,
        buffered: 0,
      },
      ...{ total_rows: 0, hit_blocks: 0, read_blocks: 0, temp_blocks: 0, jit_ms: 0, misestimates: [] },
      ...{ example: null, example_at: at, example_ms: null },
    };
    this.#rows.set(key, row);
    return row;
  }

  /** `mask` takes values and secrets out of a statement. */
  rows(mask: (statement: string) => string): SeenPlan[] {
    for (const [row, masked] of this.#examples) {
      const example = storable(masked.explain(mask));
      row.example = example.length > LONGEST_EXAMPLE ? null : example;
    }
    return [...this.#rows.values()];
  }
}
