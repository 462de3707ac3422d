// Servers that cannot tell when a disk has damaged a page.
import { aboutSetting } from './server-setting.ts';
import { defineCheck, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'data_checksums_off',
  category: 'storage',
  title: 'Data checksums disabled',
  meaning: 'Storage corruption goes unnoticed until a query fails or returns wrong results.',
  advice: 'Enable checksums while the server is shut down.',
  caution:
    'Downtime lasts as long as reading and writing all data once. Enable checksums on standbys before restarting them.',
  source: 'app-pgchecksums.html',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) =>
    facts.setting('data_checksums') === 'off'
      ? aboutSetting('data_checksums', {
          severity: 'info',
          message: 'Data pages have no checksums, so storage corruption goes unnoticed.',
          figure: null,
          evidence: { data_checksums: 'off' },
          remedy: '-- With the server shut down:\npg_checksums --enable -D "$PGDATA"',
        })
      : NOTHING,
});
