// Databases in which blocks were not what had been written.
import { rule } from '../../alerting/rules/checksum-failures.ts';
import { defineCheck, type Problem } from './types.ts';

/** Of the catalogs that all databases share. */
const ofShared = (failures: number): Problem[] =>
  failures <= rule.threshold
    ? []
    : [
        {
          ...{ database_name: '', object_name: 'shared catalogs', severity: rule.severity },
          message: `${failures} checksum failure${failures > 1 ? 's' : ''} in the catalogs that all databases share.`,
          figure: { value: failures, unit: 'count' },
          evidence: { checksum_failures: failures },
          remedy:
            '-- Restore the damaged blocks from a backup; the server log lists them. No function resets this count. It ends 7 days after\n-- the last failure:\nselect checksum_failures, checksum_last_failure from pg_stat_database where datid = 0;',
        },
      ];

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
  reads: {
    pg_stat_database: [
      ...['datname', 'checksum_failures', 'checksum_failures_with_shared'],
      ...['checksum_last_failure', 'stats_reset'],
    ],
  },
  judge: (facts) => ({
    found: facts.rows('pg_stat_database').flatMap((item) => {
      const failures = item.number('checksum_failures') ?? 0;
      const shared = ofShared((item.number('checksum_failures_with_shared') ?? failures) - failures);
      if (failures <= rule.threshold) return shared;
      const name = item.text('datname') ?? '';
      const last = item.text('checksum_last_failure');
      const since = facts.countedSince(name);
      return [
        ...shared,
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
    database_name === ''
      ? null
      : (facts
          .rows('pg_stat_database')
          .find((item) => item.text('datname') === database_name)
          ?.number('checksum_failures') ?? null),
});
