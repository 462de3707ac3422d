// A server that does not wait for the disk.
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'fsync_off',
  category: 'settings',
  title: 'fsync disabled',
  meaning: 'After an operating system crash, the whole cluster may be corrupt beyond repair.',
  advice: 'Turn it on again.',
  caution:
    'Writes become as slow as the disk. For faster commits, use synchronous_commit = off, which is safe.',
  source: 'runtime-config-wal.html#GUC-FSYNC',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) =>
    facts.setting('fsync') === 'off'
      ? foundOnServer({
          object_name: 'fsync',
          severity: 'critical',
          message: 'fsync is off. An operating system crash can destroy the data.',
          figure: null,
          evidence: { fsync: 'off' },
          remedy: 'alter system set fsync = on;\nselect pg_reload_conf();',
        })
      : NOTHING,
});
