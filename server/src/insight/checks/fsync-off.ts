// A server that does not wait for the disk.
import { defineCheck, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'fsync_off',
  category: 'settings',
  title: 'fsync is off',
  meaning: 'After a crash of the machine the whole database may be beyond repair.',
  advice: 'Switch it on again.',
  caution:
    'Writes become as slow as the disk is; synchronous_commit = off is the safe way to have them faster.',
  source: 'runtime-config-wal.html#GUC-FSYNC',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) =>
    facts.setting('fsync') === 'off'
      ? {
          found: [
            {
              database_name: '',
              object_name: 'fsync',
              severity: 'critical',
              message: 'The server runs with fsync = off: a crash of the machine can destroy the data.',
              figure: null,
              evidence: { fsync: 'off' },
              remedy: 'alter system set fsync = on;\nselect pg_reload_conf();',
            },
          ],
        }
      : NOTHING,
});
