// Replication slots whose WAL was removed, and those that were invalidated for another reason.
import type { Item } from './facts.ts';
import { evidenceOf, ownSlots, SLOT_COLUMNS } from './slots.ts';
import { defineCheck, type Problem } from './types.ts';
import { literal } from './units.ts';

/** The server ended it because nobody used it for long, as somebody had wished. */
const WANTED = 'idle_timeout';

function foundOf(slot: Item): Problem {
  const name = slot.text('slot_name') ?? '';
  const reason = slot.text('invalidation_reason');
  const why = reason === null ? '' : ` (${reason})`;
  return {
    database_name: '',
    object_name: name,
    severity: reason === WANTED ? 'warning' : 'critical',
    message: `The replication slot ${name} is lost${why}: its consumer cannot go on from it.`,
    figure: null,
    evidence: { ...evidenceOf(slot), invalidation_reason: reason },
    remedy: `select pg_drop_replication_slot(${literal(name)});\n-- Then build its standby or subscription anew.`,
  };
}

export const check = defineCheck({
  name: 'lost_slot',
  category: 'replication',
  title: 'Lost replication slot',
  meaning: 'WAL that the consumer of the slot needs is gone: it does not get what was written since.',
  advice: 'Drop the slot and build its consumer anew; let more WAL be kept for slots if the disk has room.',
  caution: 'A standby that can still read the WAL from an archive catches up without being built anew.',
  source: 'view-pg-replication-slots.html',
  proof: 'stated',
  reads: { pg_replication_slots: SLOT_COLUMNS },
  judge: (facts) => ({
    found: ownSlots(facts)
      .filter((slot) => slot.text('wal_status') === 'lost')
      .map(foundOf),
  }),
});
