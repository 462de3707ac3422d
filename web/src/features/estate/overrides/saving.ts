// The mutations of one editor, of which one is under way at a time, as one state.
import type { ApiError } from '../../../api/client.ts';

interface Mutation {
  reset(): void;
  isPending: boolean;
  error: ApiError | null;
}

/** What an editor calls: `Where` is what is set, `Draft` the form as it was and as it is. */
export interface Saving<Where, Draft> {
  save(where: Where, draft: Draft, initial: Draft): void;
  remove(where: Where): void;
  isPending: boolean;
  error: ApiError | null;
}

/** Forgets the errors of earlier attempts. */
export function resetAll(all: readonly Mutation[]): void {
  for (const one of all) one.reset();
}

export const stateOf = (all: readonly Mutation[]): { isPending: boolean; error: ApiError | null } => ({
  isPending: all.some((one) => one.isPending),
  error: all.find((one) => one.error)?.error ?? null,
});
