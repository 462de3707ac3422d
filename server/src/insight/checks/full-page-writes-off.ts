// A server that cannot repair pages which a crash has left half written.
import { aboutSetting, SETTING_COLUMNS } from './server-setting.ts';
import { defineCheck, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'full_page_writes_off',
  category: 'settings',
  title: 'full_page_writes is off',
  meaning:
    'A page that was half written when the machine crashed stays damaged, and nobody may notice until it is read.',
  advice: 'Switch it on again.',
  caution:
    'The WAL becomes larger. It may stay off on a file system that writes whole pages or none, such as ZFS.',
  source: 'runtime-config-wal.html#GUC-FULL-PAGE-WRITES',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) =>
    facts.setting('full_page_writes') === 'off'
      ? aboutSetting('full_page_writes', {
          severity: 'critical',
          message:
            'The server runs with full_page_writes = off: a crash of the machine can leave damaged pages.',
          figure: null,
          evidence: { full_page_writes: 'off' },
          remedy: 'alter system set full_page_writes = on;\nselect pg_reload_conf();',
        })
      : NOTHING,
});
