// Functions of PostgreSQL by name: whether a statement that only reads may call them. Guards: what is not listed is not allowed.
import { ALLOWED_REASONS, type FunctionReason, REASONS } from './function-rules.ts';
import { FUNCTIONS } from './functions.gen.ts';

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
