// Which callers ask an operation in the matrix of access. Everyday a few do, of every operation, and all of them of one
// operation of each class: operations with equal access and aims share one gate. In the proof all the others do.
import type { Operation } from '../../kernel/contract.ts';
import { isProof } from '../tier.ts';
import type { CallerKind } from './callers.ts';
import { aimsOf } from './matrix-requests.ts';
import { everyCaller } from './provider-callers.ts';

/**
 * One for each way of signing in and each thing that can be said of it: nobody (401), somebody without rights (403, and 404
 * where a thing is hidden), who owns what is named, who may do all, a token that has less than its owner (403 where a session
 * or more than reading is needed), and a browser that was led here by another site (403 where something is changed).
 */
export const FEW: readonly string[] = [
  'no token',
  'a user without a grant',
  'the owner',
  'a superuser',
  'a token of the owner scoped to reading',
  'a superuser by cookie cross-site',
];

/** That something is changed counts only where a request comes from another site, and such a one is among the few. */
const classOf = (operation: Operation) =>
  JSON.stringify([operation.access, aimsOf(operation), operation.takesProviderTokens]);

/** Of each class the operation that comes first; one that only reads, where there is any, since nothing is made anew for it. */
export function firstOfClasses(operations: readonly Operation[]): ReadonlySet<Operation> {
  const reading = operations.filter(({ method }) => method === 'GET');
  const first = new Map<string, Operation>();
  for (const operation of [...reading, ...operations])
    if (!first.has(classOf(operation))) first.set(classOf(operation), operation);
  return new Set(first.values());
}

export const few: readonly CallerKind[] = everyCaller.filter(({ name }) => FEW.includes(name));

const others: readonly CallerKind[] = everyCaller.filter((kind) => !few.includes(kind));

/** Those who ask an operation, in this run; none where all have asked it everyday. */
export function callersOf(operation: Operation, first: ReadonlySet<Operation>): readonly CallerKind[] {
  if (first.has(operation)) return isProof() ? [] : everyCaller;
  return isProof() ? others : few;
}
