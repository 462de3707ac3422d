// Databases in which blocks were not what had been written.
import { rule } from '../../alerting/rules/checksum-failures.ts';
import { defineCheck } from './types.ts';

export const check = defineCheck({
  name: 'checksum_failures',
  category: 'storage',
  title: rule.title,
  figureName: 'checksum failures',
  meaning: rule.meaning,
  advice: rule.remedy,
  caution: 'pg_stat_reset() resets all statistics of the database, including those that autovacuum uses.',
  source: 'checksums.html',
  proof: 'stated',
  reads: { pg_stat_database: ['datname', 'checksum_failures', 'checksum_last_failure', 'stats_reset'] },
  judge: (facts) => ({
    found: facts.rows('pg_stat_database').flatMap((item) => {
      const failures = item.number('checksum_failures') ?? 0;
      if (failures <= rule.threshold) return [];
      const name = item.text('datname') ?? '';
      const last = item.text('checksum_last_failure');
      const since = facts.countedSince(name);
      return [
        {
          database_name: name,
          object_name: '',
          severity: rule.severity,
          message: `${failures} checksum failure${failures > 1 ? 's' : ''} in database "${name}"${last === null ? '' : `, last at ${last}`}.`,
          figure: { value: failures, unit: 'count' },
          evidence: { checksum_failures: failures, checksum_last_failure: last },
          remedy:
            '-- Restore the damaged blocks from a backup first; the server log lists them. Then, in that database:\nselect pg_stat_reset();',
          ...(since !== null && { since }),
        },
      ];
    }),
  }),
  figureAfter: (facts, { database_name }) =>
    facts
      .rows('pg_stat_database')
      .find((item) => item.text('datname') === database_name)
      ?.number('checksum_failures') ?? null,
});
