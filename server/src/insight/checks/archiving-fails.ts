// Servers whose WAL cannot be archived, or not quickly enough.

import { rule } from '../../alerting/rules/archive-delayed.ts';
import { shownTime, shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import { ARCHIVE_FAILING } from '../../probes/pg-stat-wal.ts';
import type { Facts } from './facts.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

/** How long the oldest file has waited; null: none waits, or nobody can tell. */
function waited(facts: Facts): number | null {
  const since = facts.row('pg_wal_directory')?.time('archive_oldest_ready_time') ?? null;
  return since === null ? null : Math.max(0, (facts.now - since) / 1000);
}

export const check = defineCheck({
  name: 'archiving_fails',
  category: 'replication',
  title: 'WAL archiving failures',
  figureName: 'WAL files waiting',
  meaning:
    'Backups cannot be restored past the last archived WAL. Unarchived WAL stays on disk until the disk is full.',
  advice:
    'Check the server log for the error of archive_command or archive_library, and fix the archive target.',
  caution: 'Never delete files from pg_wal by hand. Such WAL is lost for every backup.',
  source: 'continuous-archiving.html#BACKUP-ARCHIVING-WAL',
  proof: 'stated',
  reads: {
    pg_settings: ['name', 'setting'],
    pg_stat_wal: [
      'last_archived_time',
      'last_failed_time',
      'last_failed_wal',
      'failed_count',
      'archived_count',
      'is_archive_failing',
    ],
  },
  uses: { pg_wal_directory: ['archive_oldest_ready_time', 'archive_ready_files'] },
  judge: (facts) => {
    const row = facts.row('pg_stat_wal');
    if (!row || (facts.setting('archive_mode') ?? 'off') === 'off') return NOTHING;
    const failed = row.time('last_failed_time');
    const fails =
      row.meets(ARCHIVE_FAILING) && failed !== null && failed > (row.time('last_archived_time') ?? 0);
    const wait = waited(facts);
    const isLate = wait !== null && wait > rule.threshold;
    if (!fails && !isLate) return NOTHING;
    const files = facts.row('pg_wal_directory')?.number('archive_ready_files') ?? null;
    const queue =
      files === null
        ? ''
        : `. Unarchived WAL files: ${wholeNumber(files)}${wait === null ? '' : `, the oldest for ${shownValue(wait, 'seconds')}`}`;
    const what = fails
      ? `Archiving of ${row.text('last_failed_wal') ?? 'WAL'} failed, last at ${shownTime(failed)}`
      : 'WAL archiving is behind';
    return foundOnServer({
      object_name: 'archiver',
      severity: fails ? 'critical' : 'warning',
      message: `${what}${queue}.`,
      figure: files === null ? null : { value: files, unit: 'count' },
      evidence: {
        failed_count: row.number('failed_count'),
        archived_count: row.number('archived_count'),
        last_archived_time: row.text('last_archived_time'),
        last_failed_time: row.text('last_failed_time'),
        archive_ready_files: files,
        oldest_waits_seconds: wait,
      },
      remedy: `-- The log has what the command answered. With a command that works, for example:
alter system set archive_command = 'test ! -f /mnt/server/archivedir/%f && cp %p /mnt/server/archivedir/%f';
select pg_reload_conf();`,
    });
  },
  figureAfter: (facts) => facts.row('pg_wal_directory')?.number('archive_ready_files') ?? null,
});
