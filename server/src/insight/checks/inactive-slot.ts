// Replication slots that nobody reads from: they keep WAL for ever.

import { shownTime, shownValue } from '../../kernel/shown-value.ts';
import { ABANDONED, ABANDONED_WITH_MUCH } from '../../probes/pg-replication-slots.ts';
import type { Item } from './facts.ts';
import { evidenceOf, ownSlots, retainedNow, SLOT_COLUMNS } from './slots.ts';
import { defineCheck, type Problem } from './types.ts';
import { literal } from './units.ts';

function foundOf(slot: Item, bytes: number): Problem {
  const name = slot.text('slot_name') ?? '';
  const since = slot.time('inactive_since');
  const from = since === null ? '' : ` since ${shownTime(since)}`;
  return {
    database_name: '',
    object_name: name,
    severity: slot.meets(ABANDONED_WITH_MUCH) ? 'critical' : 'info',
    message: `Replication slot "${name}" has no consumer${from} and retains ${shownValue(bytes, 'bytes')} of WAL.`,
    figure: { value: bytes, unit: 'bytes' },
    evidence: evidenceOf(slot),
    remedy: `select pg_drop_replication_slot(${literal(name)});`,
  };
}

export const check = defineCheck({
  name: 'inactive_slot',
  category: 'replication',
  title: 'Inactive replication slot',
  figureName: 'WAL retained',
  meaning: 'The server retains all WAL that the slot has not confirmed, until the disk is full.',
  advice: 'Start its consumer, or drop the slot if it is not needed.',
  caution: 'If the slot is dropped, its standby or subscription cannot resume and must be rebuilt.',
  source: 'warm-standby.html#STREAMING-REPLICATION-SLOTS',
  proof: 'stated',
  reads: { pg_replication_slots: SLOT_COLUMNS },
  judge: (facts) => ({
    found: ownSlots(facts).flatMap((slot) => {
      const bytes = slot.number('retained_bytes');
      return slot.meets(ABANDONED) && bytes !== null ? [foundOf(slot, bytes)] : [];
    }),
  }),
  figureAfter: retainedNow,
});
