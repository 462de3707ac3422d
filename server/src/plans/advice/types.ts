// The shape of an advice: one file each in this folder, pure data and one function that looks at one node of a plan. Guards: no advice without
// figures of the plan itself; what the plan does not say is not guessed.
import type { Plan, PlanNode } from '../types.ts';

export interface PlanFacts {
  readonly plan: Plan;
  readonly nodes: readonly PlanNode[];
  readonly parents: ReadonlyMap<number, PlanNode>;
  /** What the statement took, or null. */
  readonly total_ms: number | null;
}

export interface Seen {
  /** The figures of the plan that show it, as a sentence. */
  evidence: string;
  /** Statements that are right as they are shown; null: the plan does not say enough to write one. */
  remedy: string | null;
  /** What it costs: share of the statement's time from 0 to 1, by which advice is put in order. */
  weight: number;
}

export interface PlanAdvice {
  /** As it is printed: `sort_spilled`. */
  name: string;
  /** What is wrong, as a noun phrase. */
  title: string;
  /** Why it matters, in a sentence. */
  meaning: string;
  /** What to do, in a sentence. */
  action: string;
  /** Undefined where there is nothing to say of this node. */
  judge(node: PlanNode, facts: PlanFacts): Seen | undefined;
}

export const defineAdvice = <const T extends PlanAdvice>(advice: T): T => advice;

/** Share of the statement's time that a node took by itself; a plan without times is judged by cost. */
export function shareOf(node: PlanNode, { total_ms, plan }: PlanFacts): number {
  if (node.own_ms !== null && total_ms !== null && total_ms > 0) return Math.min(1, node.own_ms / total_ms);
  const whole = plan.plan.total_cost ?? 0;
  const below = node.children.reduce((sum, { total_cost }) => sum + (total_cost ?? 0), 0);
  return whole <= 0 ? 0 : Math.min(1, Math.max(0, (node.total_cost ?? 0) - below) / whole);
}

/** Of a session; more is not advised. */
const MOST_MB = 2048;

/** What sets the work_mem that is wanted; null where that is more than a session should take. */
export const workMemOf = (megabytes: number): string | null =>
  megabytes > MOST_MB ? null : `set work_mem = '${megabytes}MB';`;

/** As SQL, quoted where it has to be. */
export const quoted = (name: string) =>
  /^[a-z_][a-z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

/** The relation of a node as SQL, where an index or statistics can be made for it: not of a catalog of the system. */
export const ownRelationOf = (node: PlanNode): string | null =>
  node.relation?.startsWith('pg_') ? null : relationOf(node);

/** The relation of a node as SQL; null where it reads none. */
export const relationOf = ({ schema, relation }: PlanNode): string | null =>
  relation === null ? null : `${schema === null ? '' : `${quoted(schema)}.`}${quoted(relation)}`;
