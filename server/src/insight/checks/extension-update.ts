// Extensions that are older than their files on the server.
import { defineCheck } from './types.ts';
import { quoted } from './units.ts';

export const check = defineCheck({
  name: 'extension_update',
  category: 'versions',
  title: 'Extension update available',
  meaning: 'The installed extension is older than its files on the server. Fixes and views are missing.',
  advice: 'Update the extension in the database.',
  caution: 'Read its release notes first. Functions may change.',
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
          message: `Extension "${name}" is at version ${item.text('extversion')}, and version ${item.text('default_version')} is available.`,
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
