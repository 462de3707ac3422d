// matriarch audit list: what was done, by whom and from where, newest first.
import { AUDIT_OUTCOMES, type AuditEvent, listAllAuditEvents } from '../../identity/audit/audit.service.ts';
import { UsageError } from '../../kernel/errors.ts';
import { isTimeInRange } from '../../kernel/times.ts';
import { type Command, type CommandArgs, printTable } from '../command.ts';

const USUAL = 50;
const MOST = 1000;

function readTime(args: CommandArgs, option: 'since' | 'until'): string | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (!isTimeInRange(at))
    throw new UsageError(`--${option}: give a time such as 2026-11-20 or 2026-11-20T10:00:00Z.`);
  return new Date(at).toISOString();
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? USUAL : Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new UsageError(`--limit: give a number from 1 to ${MOST}.`);
  return limit;
}

function readTarget(text: string | undefined): { target_kind?: string; target_id?: string } {
  if (text === undefined) return {};
  const [kind, id] = text.split(':', 2);
  return { ...(kind && { target_kind: kind }), ...(id && { target_id: id }) };
}

function filterOf(args: CommandArgs) {
  const outcome = args.text('outcome');
  if (outcome !== undefined && !AUDIT_OUTCOMES.some((known) => known === outcome))
    throw new UsageError(`--outcome: give one of ${AUDIT_OUTCOMES.join(', ')}.`);
  return {
    start_time: readTime(args, 'since'),
    end_time: readTime(args, 'until'),
    actor: args.text('actor'),
    action: args.text('action'),
    outcome,
    ...readTarget(args.text('target')),
    limit: readLimit(args.text('limit')),
    offset: 0,
  };
}

const target = ({ target_kind, target_id, target_name }: AuditEvent) =>
  [target_kind, target_id, target_name].filter(Boolean).join(' ');

export const command: Command = {
  path: ['audit', 'list'],
  summary: 'List what was done, by whom and from where, newest first',
  options: [
    { flags: '--since <time>', description: 'from this time on' },
    { flags: '--until <time>', description: 'before this time' },
    { flags: '--actor <name>', description: 'a user name, or "system: cli"' },
    { flags: '--action <name>', description: 'such as group.grant' },
    { flags: '--outcome <outcome>', description: AUDIT_OUTCOMES.join(', ') },
    { flags: '--target <kind:id>', description: 'such as connection:3, or a kind alone' },
    { flags: '--limit <n>', description: `how many, ${USUAL} unless told, at most ${MOST}` },
    { flags: '--json', description: 'print JSON, with the details' },
  ],
  async run(io, args) {
    const filter = filterOf(args);
    const page = await listAllAuditEvents(await io.db(), filter);
    if (args.flag('json')) io.out(JSON.stringify(page, null, 2));
    else
      printTable(
        io,
        ['ROW', 'AT', 'WHO', 'FROM', 'ACTION', 'OUTCOME', 'TIMES', 'TO'],
        page.events.map((event) => [
          String(event.id),
          event.at,
          event.actor_name ?? '',
          event.address ?? '',
          event.action,
          event.outcome ?? '',
          String(event.occurrences ?? ''),
          target(event),
        ]),
      );
    return 0;
  },
};
