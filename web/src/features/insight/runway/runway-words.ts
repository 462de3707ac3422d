// What runs out, in words: names of kinds, amounts with their unit, and the date as people say it. Guards: a date stands with its
// band, and what has none says why.

import type { OperationTypes } from '../../../api/operations.gen.ts';
import { countOf, formatBytes, formatCount, percentOf } from '../../../lib/format.ts';
import { dayText } from '../../../lib/time.ts';
import { DAY_MS } from '../../../lib/units.ts';

export type RunwayItem = OperationTypes['listRunway']['result']['items'][number];
export type RunwayKind = RunwayItem['kind'];

export const KIND_WORDS: Readonly<Record<RunwayKind, string>> = {
  disk: 'Disk',
  tablespace: 'Tablespace',
  transaction_ids: 'Transaction ids',
  multixact_ids: 'Multixact ids',
  sequence: 'Sequence',
  replication_slot: 'Replication slot',
  connections: 'Connections',
  statements: 'Statements of pg_stat_statements',
};

export const STATE_WORDS: Readonly<Record<RunwayItem['state'], string>> = {
  runs_out: 'Runs out',
  unknown: 'Unknown',
  not_growing: 'Not growing',
};

export function amountText(value: number, unit: RunwayItem['unit']): string {
  if (unit === 'bytes') return value < 0 ? `−${formatBytes(-value)}` : formatBytes(value);
  if (unit === 'percent') return `${Number(value.toPrecision(3))} %`;
  return formatCount(Math.round(value));
}

export const dateText = (iso: string): string => dayText(Date.parse(iso));

/** "in 12 days", "within a day", "now". */
export function aheadText(iso: string, nowSeconds: number): string {
  const days = (Date.parse(iso) - nowSeconds * 1000) / DAY_MS;
  if (days <= 0) return 'now';
  if (days < 1) return 'within a day';
  if (days < 60) return `in ${Math.round(days)} ${Math.round(days) === 1 ? 'day' : 'days'}`;
  return days < 730 ? `in ${Math.round(days / 30.4)} months` : `in ${Math.round(days / 365)} years`;
}

/** "between 12 and 20 Dec 2026"; what is open at its end says so. */
export function bandText({ earliest_at, latest_at, state }: RunwayItem): string | undefined {
  if (state !== 'runs_out' || earliest_at === null) return undefined;
  if (latest_at === null) return `from ${dateText(earliest_at)} on`;
  const [first, last] = [dateText(earliest_at), dateText(latest_at)];
  return first === last ? undefined : `between ${first} and ${last}`;
}

/** How much of the limit is used, from 0 to 100 and more; null where one of the two is not known. */
export function usedPercent({ used, limit, unit }: RunwayItem): number | null {
  return limit === null && unit === 'percent' ? used : percentOf(used, limit);
}

/** As many days have to be known before there is a date. */
const LEAST_DAYS = 3;

/** It has no date yet for no other reason than that it is known for too short a time. */
export const needsDays = ({ state, used, days_of_data }: RunwayItem): boolean =>
  state === 'unknown' && used !== null && days_of_data < LEAST_DAYS;

/** One sentence for all of them; undefined where there is none. */
export function needsDaysWords(items: readonly RunwayItem[]): string | undefined {
  const count = items.filter(needsDays).length;
  if (count === 0) return undefined;
  return `${countOf(count, 'item')} ${count === 1 ? 'needs' : 'need'} more days: a date needs 4 values over ${LEAST_DAYS} days.`;
}

/** Why something does not grow, once for all that have the same reason: "Transaction ids, multixact ids: …". */
export function notGrowingWords(items: readonly RunwayItem[]): string[] {
  const still = items.filter(({ state, reason }) => state === 'not_growing' && reason !== null);
  return [...Map.groupBy(still, ({ reason }) => reason)].map(([reason, own]) => {
    const kinds = [...new Set(own.map(({ kind }) => KIND_WORDS[kind]))];
    return `${kinds.join(', ')}: ${reason}`;
  });
}

/** Where nothing is known, by the reason: "orders: Connections". */
export function notCollected(items: readonly RunwayItem[]): { reason: string; places: string[] }[] {
  const without = items.filter(({ used }) => used === null);
  const byReason = Map.groupBy(without, ({ reason }) => reason ?? 'Not collected in the last day.');
  return [...byReason].map(([reason, own]) => ({
    reason,
    places: own.map(({ server_name, kind, database_name, object_name }) =>
      [`${server_name}: ${KIND_WORDS[kind]}`, database_name, object_name]
        .filter((one) => one !== null)
        .join(' '),
    ),
  }));
}
