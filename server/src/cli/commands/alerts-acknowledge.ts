// matriarch alerts acknowledge: says that somebody has taken an alert on.
import { acknowledgeAlert } from '../../alerting/alerts/alerts.service.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type Command, commandCtx, readId } from '../command.ts';

const LONGEST = 4000;

export const command: Command = {
  path: ['alerts', 'acknowledge'],
  summary: 'Acknowledge an alert',
  details: 'It stays open until its condition is met no more; reminders of it end.',
  arguments: [{ name: 'id', description: 'of the alert' }],
  options: [
    { flags: '--message <text>', description: 'for those who read it' },
    { flags: '--false-positive', description: 'it should not have fired' },
  ],
  async run(io, args) {
    const alert_id = readId(args, 'an alert');
    const message = args.text('message');
    if (message !== undefined && message.length > LONGEST)
      throw new UsageError(`--message: give at most ${LONGEST} characters.`);
    await acknowledgeAlert(await commandCtx(io), {
      alert_id,
      ...(message !== undefined && { message }),
      false_positive: args.flag('false-positive'),
    });
    io.out('Acknowledged.');
    return 0;
  },
};
