// Replication slots as several checks ask for them. Pure.
import type { Facts, Item } from './facts.ts';
import type { Gone } from './types.ts';

export const SLOT_COLUMNS = [
  'slot_name',
  'slot_type',
  'database',
  'temporary',
  'active',
  'wal_status',
  'retained_bytes',
  'safe_wal_size',
  'inactive_since',
  'invalidation_reason',
  'synced',
  'is_abandoned',
] as const;

/** Those of sessions go with them, and those copied from a primary are kept in step by the server. */
export const ownSlots = (facts: Facts): Item[] =>
  facts
    .rows('pg_replication_slots')
    .filter((slot) => slot.flag('temporary') !== true && slot.flag('synced') !== true);

export const evidenceOf = (slot: Item) => ({
  slot_type: slot.text('slot_type'),
  database: slot.text('database'),
  active: slot.flag('active'),
  wal_status: slot.text('wal_status'),
  retained_bytes: slot.number('retained_bytes'),
});

/** WAL that the slot keeps now: nothing when it was dropped. */
export function retainedNow(facts: Facts, { object_key }: Gone): number | null {
  const slot = facts.rows('pg_replication_slots').find((item) => item.text('slot_name') === object_key);
  return slot ? slot.number('retained_bytes') : 0;
}
