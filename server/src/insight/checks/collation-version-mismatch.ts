// Databases whose collation changed under them.
import { rule } from '../../alerting/rules/collation-version-mismatch.ts';
import { defineCheck } from './types.ts';
import { quoted } from './units.ts';

export const check = defineCheck({
  name: 'collation_version_mismatch',
  category: 'versions',
  title: rule.title,
  meaning: rule.meaning,
  advice: rule.remedy,
  caution:
    'reindex database locks one table after another against writes. Unique indexes fail if duplicates were inserted meanwhile.',
  source: 'sql-altercollation.html#SQL-ALTERCOLLATION-NOTES',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_database: ['datname', 'datcollate', 'datlocprovider', 'datcollversion', 'collation_differs'],
  },
  judge: (facts) => ({
    found: facts
      .rows('pg_database')
      .filter((item) => item.flag('collation_differs'))
      .map((item) => {
        const name = item.text('datname') ?? '';
        return {
          database_name: name,
          object_name: '',
          severity: rule.severity,
          message: `Database "${name}" was created with collation version ${item.text('datcollversion')}. The operating system now has another version.`,
          figure: null,
          evidence: {
            datcollate: item.text('datcollate'),
            datlocprovider: item.text('datlocprovider'),
            datcollversion: item.text('datcollversion'),
          },
          remedy: `-- In that database:\nreindex database ${quoted(name)};\nalter database ${quoted(name)} refresh collation version;`,
        };
      }),
  }),
});
