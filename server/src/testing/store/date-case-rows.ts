// For rules that judge a date: what a probe stores on six days, so that something runs out so many days after the last of them, and
// what it stores when that was mended. Guards: the days left are a parameter, so that a rule with another threshold or operator
// fails its test.
import type { Row } from '../../store/layout/types.ts';

export const LAST_DAY = 5;
export const GIB = 1024 ** 3;

export interface DateCase {
  probe: string;
  /** Of day 0 to 5, where so many are left after the last. */
  rows(day: number, left: number): Row[];
  mended: Row[];
  database_name?: string;
  object?: string;
  beside?: { probe: string; rows: Row[] };
  /** Peaks of a day count until it is over: seconds until what was mended is seen. */
  seenAfter?: number;
}

/** Of what was left on the last day and is taken by the same each day. */
export const still = (day: number, left: number) => left + LAST_DAY - day;

const volume = (used: number, free: number): Row => ({
  mount_point: '/data',
  total_space: (used + free) * GIB,
  used_space: used * GIB,
  free_space: free * GIB,
});
export const disk: DateCase = {
  probe: 'pg_sys_disk_info',
  rows: (day, left) => [volume(50 + day, still(day, left))],
  mended: [volume(5, 95)],
  object: '/data',
};

const MOST_IDS = 2_147_483_647 - 3_000_000;
const IDS_A_DAY = 50_000_000;
export const ages = (xid_age: number, mxid_age: number): Row => ({
  ...{ datname: 'shop', xid_age, mxid_age },
  ...{ autovacuum_freeze_max_age: 200_000_000, autovacuum_multixact_freeze_max_age: 400_000_000 },
});
export const aged = (day: number, left: number) => MOST_IDS - IDS_A_DAY * still(day, left);
export const ids: Omit<DateCase, 'rows'> = {
  probe: 'pg_wraparound',
  mended: [ages(1e6, 1e6)],
  object: 'shop',
};
