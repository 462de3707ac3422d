// Servers that cannot tell when a disk has damaged a page.
import { aboutSetting } from './server-setting.ts';
import { defineCheck, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'data_checksums_off',
  category: 'storage',
  title: 'Data checksums are off',
  meaning: 'Nobody notices when the storage has damaged a page, until a query fails or answers wrongly.',
  advice: 'Enable checksums while the server is shut down.',
  caution:
    'The server is away meanwhile, as long as it takes to read and write all of the data once. Standbys need the same before they are started again.',
  source: 'app-pgchecksums.html',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) =>
    facts.setting('data_checksums') === 'off'
      ? aboutSetting('data_checksums', {
          severity: 'info',
          message: 'Data pages have no checksums: damage by the storage is not noticed.',
          figure: null,
          evidence: { data_checksums: 'off' },
          remedy: '-- With the server shut down:\npg_checksums --enable -D "$PGDATA"',
        })
      : NOTHING,
});
