// Replication slots that are about to lose WAL that they need.
import { shownValue } from '../../kernel/shown-value.ts';
import type { Item } from './facts.ts';
import { byReload } from './remedies.ts';
import { evidenceOf, ownSlots, SLOT_COLUMNS } from './slots.ts';
import { defineCheck, type Problem } from './types.ts';

const GB = 1024 ** 3;

function foundOf(slot: Item, limit: number | undefined): Problem {
  const name = slot.text('slot_name') ?? '';
  const bytes = slot.number('retained_bytes');
  const allowed = limit === undefined ? '' : ` (limit ${shownValue(limit, 'bytes')})`;
  const kept = bytes === null ? 'more WAL than the limit' : `${shownValue(bytes, 'bytes')} of WAL`;
  return {
    database_name: '',
    object_name: name,
    severity: 'warning',
    message: `Replication slot "${name}" retains ${kept}${allowed}. The next checkpoint may remove WAL that it needs.`,
    figure: null,
    evidence: {
      ...evidenceOf(slot),
      safe_wal_size: slot.number('safe_wal_size'),
      max_slot_wal_keep_size: limit ?? null,
    },
    remedy: byReload(
      'max_slot_wal_keep_size',
      `'${Math.ceil(Math.max(GB, 2 * (bytes ?? limit ?? GB)) / GB)}GB'`,
    ),
  };
}

export const check = defineCheck({
  name: 'slot_at_risk',
  category: 'replication',
  title: 'Replication slot about to lose WAL',
  meaning: 'It retains more than max_slot_wal_keep_size, so its consumer may soon need a rebuild.',
  advice: 'Start its consumer, or raise max_slot_wal_keep_size while the disk has room.',
  caution: 'Retained WAL fills the disk. Check free space first, and restore the old limit afterwards.',
  source: 'runtime-config-replication.html#GUC-MAX-SLOT-WAL-KEEP-SIZE',
  proof: 'stated',
  reads: {
    pg_replication_slots: SLOT_COLUMNS,
    pg_settings: ['name', 'setting', 'unit'],
  },
  judge: (facts) => ({
    found: ownSlots(facts)
      .filter((slot) => slot.text('wal_status') === 'unreserved')
      .map((slot) => foundOf(slot, facts.settingBytes('max_slot_wal_keep_size'))),
  }),
});
