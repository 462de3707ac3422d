// What a rule names beside its values, such as the session that blocks others, is added to its readings before they are judged. Guards:
// names come from monitored servers, and are one short line.
import { cutText } from '../../kernel/inert-text.ts';
import type { Reading } from '../alert-rules/judge.service.ts';
import { shownName } from '../alert-rules/known-rules.service.ts';
import type { KeyedReading } from './readings.ts';

const LONGEST_NAME = 64;

/** What was read of a rule, and of which connections it was asked. */
export interface RuleReadings {
  readings: ReadonlyMap<string, KeyedReading>;
  connection_ids: readonly number[];
}

/** The servers that have a reading. */
export const serversOf = ({ readings }: RuleReadings): number[] => [
  ...new Set([...readings.values()].map(({ connection_id }) => connection_id)),
];

/** A name in a row of a sample; empty: there is none. */
export const nameIn = (cell: unknown): string =>
  typeof cell === 'string' && cell !== '' ? cutText(shownName(cell), LONGEST_NAME, '…') : '';

/** The same readings, each with its details. */
export const withDetails = (
  found: RuleReadings,
  detailsOf: (one: KeyedReading) => Partial<Reading>,
): RuleReadings => ({
  ...found,
  readings: new Map(
    [...found.readings].map(([key, one]) => [
      key,
      { ...one, reading: { ...one.reading, ...detailsOf(one) } },
    ]),
  ),
});
