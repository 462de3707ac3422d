// For each rule that judges a date what its probe stores on six days, so that something runs out so many days after the last of
// them, and what it stores when that was mended. Guards: the days left are a parameter, so that a rule with another threshold
// or operator fails its test.

import type { RuleName } from '../../alerting/rules/catalog.gen.ts';
import { rules } from '../../alerting/rules/catalog.gen.ts';
import type { Row } from '../../store/layout/types.ts';

export const LAST_DAY = 5;
const GIB = 1024 ** 3;
const HOUR = 3600;

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
const still = (day: number, left: number) => left + LAST_DAY - day;

const volume = (used: number, free: number): Row => ({
  mount_point: '/data',
  total_space: (used + free) * GIB,
  used_space: used * GIB,
  free_space: free * GIB,
});
const disk: DateCase = {
  probe: 'pg_sys_disk_info',
  rows: (day, left) => [volume(50 + day, still(day, left))],
  mended: [volume(5, 95)],
  object: '/data',
};

const MOST_IDS = 2_147_483_647 - 3_000_000;
const IDS_A_DAY = 50_000_000;
const ages = (xid_age: number, mxid_age: number): Row => ({
  ...{ datname: 'shop', xid_age, mxid_age },
  ...{ autovacuum_freeze_max_age: 200_000_000, autovacuum_multixact_freeze_max_age: 400_000_000 },
});
const aged = (day: number, left: number) => MOST_IDS - IDS_A_DAY * still(day, left);
const ids: Omit<DateCase, 'rows'> = { probe: 'pg_wraparound', mended: [ages(1e6, 1e6)], object: 'shop' };

const sequence = (exhausted_percent: number): Row => ({
  ...{ seqrelid: 1, schemaname: 'public', sequencename: 'orders_id_seq', is_readable: true, cycles: false },
  ...{ last_value: 1, used_percent: exhausted_percent, exhausted_percent },
});

const CONNECTIONS = 97;

export const DATE_CASES = {
  disk_full_soon: disk,
  disk_full_imminent: disk,
  transaction_ids_end_soon: { ...ids, rows: (day, left) => [ages(aged(day, left), 10)] },
  multixact_ids_end_soon: { ...ids, rows: (day, left) => [ages(10, aged(day, left))] },
  replication_slot_full_soon: {
    probe: 'pg_replication_slots',
    rows: (day, left) => [
      {
        ...{ slot_name: 'left', active: false, retained_bytes: (1 + day) * GIB },
        safe_wal_size: still(day, left) * GIB,
      },
    ],
    // Somebody dropped it.
    mended: [],
    object: 'left',
  },
  connections_exhausted_soon: {
    probe: 'pg_stat_database',
    rows: (day, left) => [{ datname: 'shop', numbackends: CONNECTIONS - 2 * still(day, left) }],
    mended: [{ datname: 'shop', numbackends: 20 }],
    beside: {
      probe: 'pg_server_info',
      rows: [{ server_version_num: 180004, usable_connections: CONNECTIONS }],
    },
    seenAfter: 30 * HOUR,
  },
  sequence_exhausted_soon: {
    probe: 'pg_sequence_usage',
    rows: (day, left) => [sequence(100 - still(day, left))],
    mended: [sequence(1)],
    database_name: 'shop',
    object: 'public.orders_id_seq',
  },
} as const satisfies Partial<Record<RuleName, DateCase>>;

export type DateRuleName = keyof typeof DATE_CASES;

export const isDateRule = (name: RuleName): name is DateRuleName => Object.hasOwn(DATE_CASES, name);

export const dateRules = rules.flatMap((rule) => {
  const found = Object.entries(DATE_CASES).find(([name]) => name === rule.name);
  const of: DateCase | undefined = found?.[1];
  return of ? [{ rule, of }] : [];
});
