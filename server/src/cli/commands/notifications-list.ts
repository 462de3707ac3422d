// matriarch notifications list: what was to be told to whom, and what came of it, newest first.
import { type Delivery, listDeliveriesOf } from '../../areas/notification-channels/deliveries.service.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type Command, type CommandArgs, printTable } from '../command.ts';

const USUAL = 50;
const MOST = 1000;
const MAX_ID = 2_147_483_647;
const STATES = ['queued', 'sending', 'sent', 'dead', 'skipped'] as const;

function readNumber(args: CommandArgs, option: string, most: number): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`--${option}: give a number from 1 to ${most}.`);
  return value;
}

function readState(args: CommandArgs) {
  const text = args.text('state');
  const state = STATES.find((known) => known === text);
  if (text !== undefined && state === undefined)
    throw new UsageError(`--state: give one of ${STATES.join(', ')}.`);
  return state;
}

const rowOf = (one: Delivery): string[] => [
  String(one.id),
  one.queued_at,
  one.channel_name,
  one.kind,
  one.state,
  String(one.attempts.length),
  one.next_attempt_at ?? '',
  one.title,
  one.reply ?? '',
];

export const command: Command = {
  path: ['notifications', 'list'],
  summary: 'List what alerts were told to whom, and what came of it, newest first',
  options: [
    { flags: '--alert <id>', description: 'of this alert' },
    { flags: '--channel <id>', description: 'by this channel' },
    { flags: '--state <state>', description: STATES.join(', ') },
    { flags: '--limit <n>', description: `how many, ${USUAL} unless told, at most ${MOST}` },
    { flags: '--json', description: 'print JSON, with every attempt' },
  ],
  async run(io, args) {
    const filter = {
      alert_id: readNumber(args, 'alert', MAX_ID),
      channel_id: readNumber(args, 'channel', MAX_ID),
      state: readState(args),
      limit: readNumber(args, 'limit', MOST) ?? USUAL,
      offset: 0,
    };
    const page = await listDeliveriesOf({ db: await io.db() }, filter);
    if (args.flag('json')) io.out(JSON.stringify(page, null, 2));
    else
      printTable(
        io,
        ['ID', 'QUEUED', 'CHANNEL', 'KIND', 'STATE', 'TRIES', 'NEXT', 'ALERT', 'ANSWER'],
        page.deliveries.map(rowOf),
      );
    return 0;
  },
};
