// Servers whose WAL is good for nothing but recovery after a crash.
import { byRestart } from './remedies.ts';
import { defineCheck, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'wal_level_minimal',
  category: 'replication',
  title: 'wal_level is minimal',
  meaning: 'No standby, no base backup and no archive of WAL is possible.',
  advice: 'Set wal_level to replica, unless the data can be made anew.',
  caution:
    'It takes a restart, and loads into new tables write more WAL. max_wal_senders has to be above 0 as well.',
  source: 'runtime-config-wal.html#GUC-WAL-LEVEL',
  proof: 'stated',
  where: 'primary',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) =>
    facts.setting('wal_level') === 'minimal'
      ? {
          found: [
            {
              database_name: '',
              object_name: 'wal_level',
              severity: 'info',
              message: 'wal_level is minimal: the server cannot be copied while it runs, nor followed.',
              figure: null,
              evidence: {
                wal_level: 'minimal',
                max_wal_senders: facts.settingNumber('max_wal_senders') ?? null,
              },
              remedy: byRestart('wal_level', 'replica'),
            },
          ],
        }
      : NOTHING,
});
