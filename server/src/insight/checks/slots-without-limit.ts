// Slots that may keep WAL until the disk is full.

import { rule as veryMuch } from '../../alerting/rules/replication-slot-retention-high.ts';
import { rule as much } from '../../alerting/rules/replication-slot-retention-warn.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { byReload } from './remedies.ts';
import { ownSlots, SLOT_COLUMNS } from './slots.ts';
import { defineCheck, foundOnServer, NOTHING, unknown } from './types.ts';

const GB = 1024 ** 3;

export const check = defineCheck({
  name: 'slots_without_limit',
  category: 'replication',
  title: 'Unlimited WAL retention by replication slots',
  meaning: 'One disconnected consumer fills the disk, and then the server stops.',
  advice: 'Set max_slot_wal_keep_size to what the disk has room for.',
  caution: 'Beyond the limit the slot is lost. Its consumer must be rebuilt or needs an archive.',
  source: 'runtime-config-replication.html#GUC-MAX-SLOT-WAL-KEEP-SIZE',
  proof: 'stated',
  reads: { pg_replication_slots: SLOT_COLUMNS, pg_settings: ['name', 'setting', 'unit'] },
  judge: (facts) => {
    const slots = ownSlots(facts);
    const limit = facts.settingNumber('max_slot_wal_keep_size');
    if (slots.length === 0 || (limit !== undefined && limit >= 0)) return NOTHING;
    if (limit === undefined) return unknown('max_slot_wal_keep_size is unknown.');
    const most = slots.reduce((all, slot) => Math.max(all, slot.number('retained_bytes') ?? 0), 0);
    const room = Math.max(veryMuch.threshold, 2 * most);
    const many = slots.length === 1 ? 'One replication slot' : `${slots.length} replication slots`;
    return foundOnServer({
      object_name: 'max_slot_wal_keep_size',
      severity: most >= much.threshold ? 'warning' : 'info',
      message: `${many} can retain WAL without limit. The largest retains ${shownValue(most, 'bytes')}.`,
      figure: null,
      evidence: { slots: slots.length, max_slot_wal_keep_size: limit, most_retained_bytes: most },
      remedy: byReload('max_slot_wal_keep_size', `'${Math.ceil(room / GB)}GB'`),
    });
  },
});
