// Servers whose changes nobody else receives. Guards: backups cannot be seen from a server, so this is a hint and no more.
import { byRestart } from './remedies.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'no_second_copy',
  category: 'replication',
  title: 'No standby and no WAL archive',
  meaning: 'If the storage fails, all changes since the last backup are lost.',
  advice: 'Archive WAL, or add a standby.',
  caution: 'Backups by pg_dump or storage snapshots are not visible to Matriarch. They may be sufficient.',
  source: 'continuous-archiving.html',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_settings: ['name', 'setting'],
    pg_stat_replication: ['role'],
    pg_replication_slots: ['slot_name'],
  },
  judge: (facts) => {
    const isArchived = (facts.setting('archive_mode') ?? 'off') !== 'off';
    const followers = facts.rows('pg_stat_replication').length;
    const slots = facts.rows('pg_replication_slots').length;
    if (isArchived || followers > 0 || slots > 0) return NOTHING;
    return foundOnServer({
      severity: 'info',
      message: 'No standby is connected, and WAL is not archived. Whether backups exist is unknown.',
      figure: null,
      evidence: { archive_mode: 'off', senders: followers, slots },
      remedy: `-- With an archive_command that copies WAL to another host:\n${byRestart('archive_mode', 'on')}`,
    });
  },
});
