// Replication slots whose WAL was removed, and those that were invalidated for another reason.

import { ENDED_AS_CONFIGURED } from '../../probes/pg-replication-slots.ts';
import type { Item } from './facts.ts';
import { evidenceOf, ownSlots, SLOT_COLUMNS } from './slots.ts';
import { defineCheck, type Problem } from './types.ts';
import { literal } from './units.ts';

const WORDS = new Map([
  ['wal_removed', 'WAL that it needs was removed'],
  ['rows_removed', 'the primary removed rows that it needs'],
  ['wal_level_insufficient', 'wal_level of the primary is not logical any more'],
]);

/** As 17 and later say it; before, a slot that conflicts with recovery tells so much. */
function reasonOf(slot: Item): string | null {
  const reason = slot.text('invalidation_reason');
  if (reason === null) return slot.flag('conflicting') === true ? 'it conflicted with recovery' : null;
  const words = WORDS.get(reason);
  return words === undefined ? reason : `${reason}: ${words}`;
}

const FEEDBACK = `
-- On this standby, so that the primary keeps rows for the new one:
alter system set hot_standby_feedback = on;
select pg_reload_conf();`;

function foundOf(slot: Item): Problem {
  const name = slot.text('slot_name') ?? '';
  const reason = slot.text('invalidation_reason');
  const words = reasonOf(slot);
  const why = words === null ? '' : ` (${words})`;
  const lacksRows = reason === 'rows_removed' || (reason === null && slot.flag('conflicting') === true);
  return {
    database_name: '',
    object_name: name,
    severity: reason === ENDED_AS_CONFIGURED ? 'info' : 'critical',
    message: `Replication slot "${name}" is lost${why}. Its consumer cannot resume.`,
    figure: null,
    evidence: { ...evidenceOf(slot), invalidation_reason: reason },
    remedy: `select pg_drop_replication_slot(${literal(name)});\n-- Then rebuild its standby or subscription.${lacksRows ? FEEDBACK : ''}`,
  };
}

export const check = defineCheck({
  name: 'lost_slot',
  category: 'replication',
  title: 'Lost replication slot',
  meaning: 'The server removed what the consumer needs, mostly WAL. It does not receive the changes since.',
  advice:
    'Drop the slot and rebuild its consumer. Where WAL was removed and the disk has room, allow slots to retain more.',
  caution: 'A standby that can read the WAL from an archive catches up without a rebuild.',
  source: 'view-pg-replication-slots.html',
  proof: 'stated',
  reads: { pg_replication_slots: [...SLOT_COLUMNS, 'conflicting'] },
  judge: (facts) => ({
    found: ownSlots(facts)
      .filter((slot) => slot.text('wal_status') === 'lost')
      .map(foundOf),
  }),
});
