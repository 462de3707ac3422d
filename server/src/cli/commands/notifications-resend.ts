// matriarch notifications resend: has a notification sent again by the server that delivers.
import { resendNotification } from '../../areas/notification-channels/deliveries.service.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type Command, commandCtx } from '../command.ts';

export const command: Command = {
  path: ['notifications', 'resend'],
  summary: 'Send a notification again',
  details: 'The server sends it, within seconds. `matriarch notifications list` shows the ids.',
  arguments: [{ name: 'id', description: 'of the notification' }],
  options: [],
  async run(io, args) {
    const text = args.argument('id');
    if (!/^[1-9]\d{0,9}$/.test(text)) throw new UsageError('Give the id of a notification, such as 17.');
    const queued = await resendNotification(await commandCtx(io), Number(text));
    io.out(queued === 1 ? 'Queued.' : `Queued, with ${queued - 1} that belong to it.`);
    return 0;
  },
};
