// A server that cannot repair pages which a crash has left half written.
import { aboutSetting, SETTING_COLUMNS } from './server-setting.ts';
import { defineCheck, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'full_page_writes_off',
  category: 'settings',
  title: 'full_page_writes disabled',
  meaning:
    'A page that was partially written during a crash stays corrupt, possibly unnoticed until it is read.',
  advice: 'Turn it on again.',
  caution: 'WAL volume grows. It may stay off on file systems with atomic page writes, such as ZFS.',
  source: 'runtime-config-wal.html#GUC-FULL-PAGE-WRITES',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) =>
    facts.setting('full_page_writes') === 'off'
      ? aboutSetting('full_page_writes', {
          severity: 'critical',
          message: 'full_page_writes is off. An operating system crash can leave torn pages.',
          figure: null,
          evidence: { full_page_writes: 'off' },
          remedy: 'alter system set full_page_writes = on;\nselect pg_reload_conf();',
        })
      : NOTHING,
});
