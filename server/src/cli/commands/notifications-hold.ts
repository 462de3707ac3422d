// matriarch notifications hold: nothing is sent until it is released, as for a copy whose original still runs.
import { holdNotifications } from '../../alerting/notification-channels/holds.service.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { type Command, commandCtx } from '../command.ts';

export const command: Command = {
  path: ['notifications', 'hold'],
  summary: 'Hold all notifications back until they are released',
  details:
    'Alerts are judged and shown as always, but nothing is sent, reports and heartbeat included. What waits is kept. `matriarch restore` holds them by itself.',
  options: [{ flags: '--reason <text>', description: 'why, for others' }],
  async run(io, args) {
    const reason = args.text('reason')?.trim() || 'Held from the command line.';
    await holdNotifications(await commandCtx(io), cutText(reason, 500));
    io.err(`Notifications are held. ${commandLine('notifications release')} sends what waits.`);
    return 0;
  },
};
