// Servers whose WAL is good for nothing but recovery after a crash.
import { byRestart } from './remedies.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'wal_level_minimal',
  category: 'replication',
  title: 'wal_level is minimal',
  meaning: 'Standbys, base backups and WAL archiving are impossible.',
  advice: 'Set wal_level to replica, unless the data can be recreated.',
  caution:
    'It needs a restart, and bulk loads into new tables write more WAL. max_wal_senders must also be above 0.',
  source: 'runtime-config-wal.html#GUC-WAL-LEVEL',
  proof: 'stated',
  where: 'primary',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) =>
    facts.setting('wal_level') === 'minimal'
      ? foundOnServer({
          object_name: 'wal_level',
          severity: 'info',
          message: 'wal_level is minimal, so the server supports neither online backups nor standbys.',
          figure: null,
          evidence: {
            wal_level: 'minimal',
            max_wal_senders: facts.settingNumber('max_wal_senders') ?? null,
          },
          remedy: byRestart('wal_level', 'replica'),
        })
      : NOTHING,
});
