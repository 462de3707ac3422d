// The last 24 hours of a server in words. Pure.
import type { OperationTypes } from '../../../api/operations.gen.ts';

export type EstateHistory = OperationTypes['getEstateHistory']['result'];
export type ServerHistory = EstateHistory['servers'][number];

/** Sessions with one digit below ten. */
export const formatLoad = (value: number): string =>
  value > 0 && value < 0.05 ? '<0.1' : String(value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value));

/** What a full bar of the strip stands for: the processors, or the largest hour. */
export function loadTop({ strip, load }: ServerHistory): number {
  const largest = strip.load.reduce<number>((most, one) => Math.max(most, one ?? 0), 0);
  return load.processors ?? Math.max(1, largest);
}

/** Load by processor now; null where one of the two is not known. */
export const loadRatio = ({ load: { sessions, processors } }: ServerHistory): number | null =>
  sessions === null || processors === null ? null : sessions / processors;
