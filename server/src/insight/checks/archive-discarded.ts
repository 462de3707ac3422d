// Servers that archive to nowhere.
import { IDLE_COMMANDS } from '../../monitored/masking.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'archive_discarded',
  category: 'replication',
  title: 'WAL archiving to nowhere',
  meaning: 'The server counts WAL as archived, but point-in-time recovery is impossible.',
  advice: 'Set an archive command or library that copies WAL to another host, or turn archive_mode off.',
  caution: 'Discarded WAL cannot be recovered. Take a new base backup once archiving works.',
  source: 'continuous-archiving.html#BACKUP-ARCHIVING-WAL',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) => {
    if ((facts.setting('archive_mode') ?? 'off') === 'off' || (facts.setting('archive_library') ?? '') !== '')
      return NOTHING;
    const command = facts.setting('archive_command');
    if (command === undefined) return NOTHING;
    const isEmpty = command.trim() === '';
    // What does something is masked.
    if (!isEmpty && !IDLE_COMMANDS.includes(command)) return NOTHING;
    return foundOnServer({
      object_name: 'archive_command',
      severity: 'warning',
      message: isEmpty
        ? 'archive_mode is on without archive_command or archive_library. WAL is retained until the disk is full.'
        : `archive_command is "${command.trim()}". WAL counts as archived but is not stored anywhere.`,
      figure: null,
      evidence: { archive_mode: facts.setting('archive_mode') ?? null, archive_command: command },
      remedy: `-- With the path of your archive, for example:
alter system set archive_command = 'test ! -f /mnt/server/archivedir/%f && cp %p /mnt/server/archivedir/%f';
select pg_reload_conf();`,
    });
  },
});
