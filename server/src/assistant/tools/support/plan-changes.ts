// What changed between two plans of a statement, as a section of an answer.
import type { Section } from './answer.ts';

interface PlanChange {
  readonly kind: string;
  /** Null: not known. */
  readonly occurred_at: string | null;
  readonly summary: string;
}

export const changesSection = (title: string, changes: readonly PlanChange[]): Section => ({
  title,
  columns: ['kind', 'first_seen', 'what'],
  rows: changes.map((one) => [one.kind, one.occurred_at, one.summary]),
  empty: 'No change is known.',
});
