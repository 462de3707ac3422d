// Replication slots that nobody reads from: they keep WAL for ever.

import { rule as veryMuch } from '../../alerting/rules/replication-slot-retention-high.ts';
import { rule as much } from '../../alerting/rules/replication-slot-retention-warn.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { ABANDONED } from '../../probes/pg-replication-slots.ts';
import type { Item } from './facts.ts';
import { evidenceOf, ownSlots, retainedNow, SLOT_COLUMNS } from './slots.ts';
import { defineCheck, type Problem } from './types.ts';
import { literal } from './units.ts';

/** A consumer that restarts leaves a slot alone for a moment. */
function severityOf(bytes: number): Problem['severity'] {
  if (bytes >= veryMuch.threshold) return 'critical';
  return bytes >= much.threshold ? 'warning' : 'info';
}

function foundOf(slot: Item, bytes: number): Problem {
  const name = slot.text('slot_name') ?? '';
  const since = slot.time('inactive_since');
  const from = since === null ? '' : ` since ${new Date(since).toISOString().slice(0, 16)}Z`;
  return {
    database_name: '',
    object_name: name,
    severity: severityOf(bytes),
    message: `Nobody reads from the replication slot ${name}${from}, and it keeps ${shownValue(bytes, 'bytes')} of WAL.`,
    figure: { value: bytes, unit: 'bytes' },
    evidence: evidenceOf(slot),
    remedy: `select pg_drop_replication_slot(${literal(name)});`,
  };
}

export const check = defineCheck({
  name: 'inactive_slot',
  category: 'replication',
  title: 'Replication slot that nobody reads from',
  meaning: 'The server keeps all WAL that the slot has not confirmed, until the disk is full.',
  advice: 'Start its consumer again, or drop the slot when nobody needs it.',
  caution: 'A standby or subscription whose slot is dropped cannot go on and has to be built anew.',
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
