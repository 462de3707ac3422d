// Servers that archive to nowhere.
import { IDLE_COMMANDS } from '../../monitored/masking.ts';
import { defineCheck, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'archive_discarded',
  category: 'replication',
  title: 'WAL is archived to nowhere',
  meaning: 'The server believes that its WAL is safe, and no backup can be restored to a point in time.',
  advice: 'Set a command or library that copies WAL to another machine, or switch archive_mode off.',
  caution: 'What was thrown away is gone: take a new base backup once archiving works.',
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
    return {
      found: [
        {
          database_name: '',
          object_name: 'archive_command',
          severity: 'warning',
          message: isEmpty
            ? 'archive_mode is on without a command or library: WAL is kept until the disk is full.'
            : `archive_command is ${command.trim()}: WAL counts as archived, and is kept nowhere.`,
          figure: null,
          evidence: { archive_mode: facts.setting('archive_mode') ?? null, archive_command: command },
          remedy: `-- With the place of the archive, for example:
alter system set archive_command = 'test ! -f /mnt/server/archivedir/%f && cp %p /mnt/server/archivedir/%f';
select pg_reload_conf();`,
        },
      ],
    };
  },
});
