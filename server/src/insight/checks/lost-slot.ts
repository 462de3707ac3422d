// Replication slots whose WAL was removed, and those that were invalidated for another reason.

import { ENDED_AS_CONFIGURED } from '../../probes/pg-replication-slots.ts';
import type { Item } from './facts.ts';
import { evidenceOf, ownSlots, SLOT_COLUMNS } from './slots.ts';
import { defineCheck, type Problem } from './types.ts';
import { literal } from './units.ts';

function foundOf(slot: Item): Problem {
  const name = slot.text('slot_name') ?? '';
  const reason = slot.text('invalidation_reason');
  const why = reason === null ? '' : ` (${reason})`;
  return {
    database_name: '',
    object_name: name,
    severity: reason === ENDED_AS_CONFIGURED ? 'info' : 'critical',
    message: `Replication slot "${name}" is lost${why}. Its consumer cannot resume.`,
    figure: null,
    evidence: { ...evidenceOf(slot), invalidation_reason: reason },
    remedy: `select pg_drop_replication_slot(${literal(name)});\n-- Then rebuild its standby or subscription.`,
  };
}

export const check = defineCheck({
  name: 'lost_slot',
  category: 'replication',
  title: 'Lost replication slot',
  meaning: 'WAL that the consumer needs was removed. It does not receive the changes since.',
  advice: 'Drop the slot and rebuild its consumer. If the disk has room, allow slots to retain more WAL.',
  caution: 'A standby that can read the WAL from an archive catches up without a rebuild.',
  source: 'view-pg-replication-slots.html',
  proof: 'stated',
  reads: { pg_replication_slots: SLOT_COLUMNS },
  judge: (facts) => ({
    found: ownSlots(facts)
      .filter((slot) => slot.text('wal_status') === 'lost')
      .map(foundOf),
  }),
});
