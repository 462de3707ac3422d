// What a check is: pure data and one pure function. It judges what probes have read of one server, and computes nothing that a
// probe could say. Guards: each finding shows its figures, what to do, what speaks against that, and how well it is proven;
// what cannot be judged is unknown with a reason, never silence.

import type { Severity } from '../../alerting/rules/types.ts';
import type { ProbeName } from '../../probes/catalog.gen.ts';
import type { Unit } from '../../probes/types.ts';
import type { Facts } from './facts.ts';

export type CheckCategory =
  | 'indexes'
  | 'vacuum'
  | 'statements'
  | 'settings'
  | 'replication'
  | 'connections'
  | 'storage'
  | 'security'
  | 'versions'
  | 'coverage';

/**
 * How well a finding is proven. `stated`: the server says so itself. `measured`: counted over a window. `tried`: tried on the
 * server, as by explain. `confirmed`: after the remedy the figure moved as promised.
 */
export const PROOFS = ['stated', 'measured', 'tried', 'confirmed'] as const;
export type Proof = (typeof PROOFS)[number];

export interface Figure {
  readonly value: number;
  readonly unit: Unit | '';
  /** What it should be after the remedy; 0 when absent. */
  readonly promised?: number;
}

export type EvidenceValue = string | number | boolean | null;

/** One thing that is found. */
export interface Problem {
  /** '': the server as a whole. */
  readonly database_name: string;
  /** What it is about, as people write it (`public.orders`, `work_mem`); '': the server or database itself. */
  readonly object_name: string;
  /** What tells it from other findings of the check in that database; the name when absent. An oid outlives a rename. */
  readonly object_key?: string;
  readonly severity: Severity;
  /** What is so, with its figures: one sentence in plain text. */
  readonly message: string;
  /** The figure that the remedy should move; null: there is none. */
  readonly figure: Figure | null;
  /** What was read, by the names of its columns. */
  readonly evidence: Readonly<Record<string, EvidenceValue>>;
  /** The rows behind it, at most twenty. */
  readonly rows?: readonly Readonly<Record<string, EvidenceValue>>[];
  /** Exact SQL, or lines of a configuration file; shown, never run by us. */
  readonly remedy: string;
  /** Where it is proven in another way than the check's findings are as a rule. */
  readonly proof?: Check['proof'];
  /** Begin of what was counted, in milliseconds since the epoch; absent: it is of one moment. */
  readonly since?: number;
}

/** Why something cannot be judged, and what would mend that. */
export interface Unknown {
  /** One sentence. */
  readonly because: string;
  readonly mend: string | null;
  /** '' or absent: everywhere. */
  readonly database_name?: string;
}

export interface Judgement {
  readonly found: readonly Problem[];
  /** What of the server could not be judged. */
  readonly unknown?: readonly Unknown[];
}

/** Probes with the columns that are read of them. */
export type Reads = { readonly [P in ProbeName]?: readonly string[] };

/** Metrics that are increases of objects in two days, by these key and label columns and `database_name`. */
export interface DayRead {
  readonly metrics: readonly string[];
  readonly by: readonly string[];
}

export interface Check {
  readonly name: string;
  readonly category: CheckCategory;
  /** What a finding is called: a few words. */
  readonly title: string;
  /** What the figure of a finding is, as words after it: `214 MB`, `index size`. Absent: its findings have none. */
  readonly figureName?: string;
  /** What it means for the user: one sentence. */
  readonly meaning: string;
  /** What to do, in one sentence; the exact statement stands in each finding. */
  readonly advice: string;
  /** What speaks against the remedy, or has to be known before. */
  readonly caution: string;
  /** Page of PostgreSQL's documentation, e.g. `routine-vacuuming.html#VACUUM-FOR-WRAPAROUND`. */
  readonly source: string;
  readonly proof: Exclude<Proof, 'confirmed'>;
  /** Without these it cannot be judged. */
  readonly reads: Reads;
  /** Of use where they are there. */
  readonly uses?: Reads;
  /** The last day beside the day before, from what is kept: `facts.days(…)`. */
  readonly days?: { readonly [P in ProbeName]?: DayRead };
  /** Absent: everywhere. Elsewhere the check does not apply, which is no finding and nothing unknown. */
  readonly where?: 'primary' | 'standby';
  /** It judges what became of the runs of all probes: `facts.runs`. */
  readonly ofRuns?: true;
  /** It compares members of a cluster: the other servers of it are read as well. */
  readonly comparesMembers?: true;
  judge(facts: Facts): Judgement;
  /**
   * The figure of something that is not found any more, as it is now: what the remedy brought. Null: nobody can tell. Without this
   * function a finding is resolved and never confirmed.
   */
  figureAfter?(facts: Facts, gone: Gone): number | null;
}

/** A finding that was open and is not found any more. */
export interface Gone {
  readonly database_name: string;
  readonly object_name: string;
  readonly object_key: string;
}

/**
 * Declares a check: one file in this folder, exported as `check`; `npm run gen` lists it.
 * @example
 * export const check = defineCheck({ name: 'fsync_off', category: 'settings', title: 'fsync is off', …,
 *   reads: { pg_settings: ['name', 'setting'] },
 *   judge: (facts) => facts.setting('fsync') === 'off' ? { found: [ … ] } : NOTHING });
 */
export const defineCheck = <const N extends string>(
  declaration: Check & { readonly name: N },
): Check & { readonly name: N } => declaration;

/** All is well. */
export const NOTHING: Judgement = { found: [] };

/** One thing is found, of the server as a whole or of what it has one of. */
export const foundOnServer = (
  problem: Omit<Problem, 'database_name' | 'object_name'> & { readonly object_name?: string },
): Judgement => ({ found: [{ database_name: '', object_name: '', ...problem }] });

/** Nothing can be said of the server as a whole. */
export const unknown = (because: string, mend: string | null = null): Judgement => ({
  found: [],
  unknown: [{ because, mend }],
});
