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
    'reindex database locks one table after the other against writes; unique indexes fail where duplicates came in meanwhile.',
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
          message: `The collation of ${name} had version ${item.text('datcollversion')} when it was made, and the system has another one now.`,
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
