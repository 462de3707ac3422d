// Extensions that are older than their files on the server.
import { defineCheck } from './types.ts';
import { quoted } from './units.ts';

export const check = defineCheck({
  name: 'extension_update',
  category: 'versions',
  title: 'Extension that can be updated',
  meaning:
    'Its files on the server are of another version than its objects in the database: fixes and views are missing there.',
  advice: 'Update it in the database.',
  caution: 'Read its release notes: functions may change, and with them what uses them.',
  source: 'sql-alterextension.html',
  proof: 'stated',
  where: 'primary',
  reads: { pg_extension: ['extname', 'extversion', 'default_version'] },
  judge: (facts) => ({
    found: facts
      .rows('pg_extension')
      .filter((item) => {
        const newest = item.text('default_version');
        return newest !== null && newest !== item.text('extversion');
      })
      .map((item) => {
        const name = item.text('extname') ?? '';
        return {
          database_name: item.database_name,
          object_name: name,
          severity: 'info',
          message: `The extension ${name} is of version ${item.text('extversion')}; the server has ${item.text('default_version')}.`,
          figure: null,
          evidence: {
            extversion: item.text('extversion'),
            default_version: item.text('default_version'),
          },
          remedy: `alter extension ${quoted(name)} update;`,
        };
      }),
  }),
});
