// Servers whose changes nobody else receives. Guards: backups cannot be seen from a server, so this is a hint and no more.
import { byRestart } from './remedies.ts';
import { defineCheck, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'no_second_copy',
  category: 'replication',
  title: 'Nobody else receives the changes',
  meaning:
    'No standby follows and no WAL is archived: when the storage is lost, so is all since the last backup.',
  advice: 'Archive WAL, or add a standby.',
  caution:
    'Backups by pg_dump or snapshots of the storage cannot be seen from here, and may be all that is needed.',
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
    return {
      found: [
        {
          database_name: '',
          object_name: '',
          severity: 'info',
          message:
            'No standby follows this server, and its WAL is not archived; whether there are backups cannot be seen from here.',
          figure: null,
          evidence: { archive_mode: 'off', senders: followers, slots },
          remedy: `-- With an archive_command that copies WAL to another machine:\n${byRestart('archive_mode', 'on')}`,
        },
      ],
    };
  },
});
