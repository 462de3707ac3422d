// Functions of PostgreSQL by name: whether a statement that only reads may call them. Guards: what is not listed is not allowed.
import { FUNCTIONS } from './functions.gen.ts';

/** Why functions are allowed, or why they are not. */
export const REASONS = {
  immutable: 'computes from its arguments alone',
  stable: 'reads, and changes nothing',
  reads: 'is marked volatile only because its result changes; it reads, and changes nothing',
  internal: 'takes or returns what only the server itself can pass',
  runs_sql: 'runs SQL that is given to it as a text, or reads whole tables by name',
  makes_types: 'fills types that are given by name, whose checks may call functions of the database',
  evaluates:
    'evaluates expressions of a table that is given as a value, which may call functions of the database',
  takes_xid: 'takes a transaction number, which is written to the WAL',
  names_files: 'shows files of the machine or how the server was built',
  effects: 'may change something, on this server or elsewhere, wait, or hold a lock',
} as const;

export type FunctionReason = keyof typeof REASONS;
export const ALLOWED_REASONS: readonly FunctionReason[] = ['immutable', 'stable', 'reads'];

const BY_NAME = new Map<string, FunctionReason>();
for (const [reason, names] of Object.entries(FUNCTIONS))
  for (const name of names.trim().split(/\s+/)) if (isReason(reason)) BY_NAME.set(name, reason);

function isReason(text: string): text is FunctionReason {
  return Object.hasOwn(REASONS, text);
}

/** Whether PostgreSQL has a function of that name itself, on any version. */
export const isBuiltIn = (name: string): boolean => BY_NAME.has(name);

export function allowsFunction(name: string): boolean {
  const reason = BY_NAME.get(name);
  return reason !== undefined && ALLOWED_REASONS.includes(reason);
}

/** Why it is not allowed, in words that go on after its name; undefined: it is. */
export function whyNotFunction(name: string): string | undefined {
  const reason = BY_NAME.get(name);
  if (reason === undefined) return 'is not known to be harmless';
  return ALLOWED_REASONS.includes(reason) ? undefined : REASONS[reason];
}

/** Not allowed, and marked volatile by PostgreSQL, so that planning does not evaluate it. */
export function isVolatile(name: string): boolean {
  const reason = BY_NAME.get(name);
  return reason === 'effects' || reason === 'takes_xid';
}

/** Undefined: PostgreSQL has none of that name. */
export const functionReason = (name: string): FunctionReason | undefined => BY_NAME.get(name);
