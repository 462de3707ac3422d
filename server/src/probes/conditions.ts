// Whether a row meets what a metric asks of it. Pure. Guards: an alert rule and a check that judge the same thing ask the same
// conditions, which stand beside the metric, so that they cannot say different things of one server.
import type { Condition } from './metric-types.ts';

export type CellOf = (column: string) => unknown;

function isMet(cell: CellOf, condition: Condition): boolean {
  if ('either' in condition) return condition.either.some((one) => isMet(cell, one));
  const own = cell(condition.column) ?? null;
  if ('in' in condition) return condition.in.some((one) => one === own);
  if ('notIn' in condition) return !condition.notIn.some((one) => one === own);
  if ('least' in condition) return own !== null && Number(own) >= condition.least;
  const limit = cell(condition.lessThan) ?? null;
  return own !== null && limit !== null && Number(own) < Number(limit);
}

export const meetsAll = (cell: CellOf, conditions: readonly Condition[]): boolean =>
  conditions.every((one) => isMet(cell, one));
