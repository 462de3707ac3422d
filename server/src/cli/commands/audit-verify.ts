// matriarch audit verify: walks the chain of the audit log and says where it first breaks; exit code 1 when it does.
import { type NotedHead, verifyAudit } from '../../identity/audit/verify.service.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Command } from '../command.ts';

function readNoted(text: string | undefined): NotedHead | undefined {
  if (text === undefined) return undefined;
  const match = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(text.trim());
  if (!match?.[1] || !match[2])
    throw new UsageError(
      '--noted: give the number and the hash that an earlier verify printed, as 123:ab12….',
    );
  return { id: Number(match[1]), hash: match[2].toLowerCase() };
}

export const command: Command = {
  path: ['audit', 'verify'],
  summary: 'Prove that nothing in the audit log was changed, deleted or swapped',
  details:
    'Note the last line it prints somewhere else. Given again with --noted, it also proves that the log was not\n' +
    'rewritten or truncated by a superuser of the datastore.',
  options: [
    { flags: '--noted <row:hash>', description: 'the last row of an earlier verify' },
    { flags: '--json', description: 'print JSON' },
  ],
  async run(io, args) {
    const noted = readNoted(args.text('noted'));
    const { checked, head_id, head_hash, broken } = await verifyAudit(await io.db(), noted);
    if (args.flag('json'))
      io.out(JSON.stringify({ checked, head_id, head_hash, broken: broken ?? null }, null, 2));
    else if (broken) io.err(`The audit log is broken at row ${broken.id}: ${broken.reason}.`);
    else {
      io.out(`The audit log is whole (${checked} rows).`);
      io.out(`${head_id}:${head_hash}`);
    }
    return broken ? 1 : 0;
  },
};
