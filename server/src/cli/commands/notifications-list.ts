// matriarch notifications list: notifications of alerts, their recipients and deliveries, newest first.
import { type Delivery, listDeliveriesOf } from '../../alerting/notification-channels/deliveries.service.ts';
import { type Command, printTable, readNumber, readWord } from '../command.ts';

const USUAL = 50;
const MOST = 1000;
const STATES = ['queued', 'sending', 'sent', 'dead', 'skipped'] as const;

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
  summary: 'List notifications of alerts with recipient and delivery, newest first',
  options: [
    { flags: '--alert <id>', description: 'of this alert' },
    { flags: '--channel <id>', description: 'by this channel' },
    { flags: '--state <state>', description: STATES.join(', ') },
    { flags: '--limit <n>', description: `how many, ${USUAL} unless told, at most ${MOST}` },
    { flags: '--json', description: 'print JSON, with every attempt' },
  ],
  async run(io, args) {
    const filter = {
      alert_id: readNumber(args, 'alert'),
      channel_id: readNumber(args, 'channel'),
      state: readWord(args, 'state', STATES),
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
