// matriarch notifications resend: has a notification sent again by the server that delivers.
import { resendNotification } from '../../alerting/notification-channels/deliveries.service.ts';
import { type Command, commandCtx, readId } from '../command.ts';

export const command: Command = {
  path: ['notifications', 'resend'],
  summary: 'Send a notification again',
  details: 'The server sends it, within seconds. `matriarch notifications list` shows the ids.',
  arguments: [{ name: 'id', description: 'of the notification' }],
  options: [],
  async run(io, args) {
    const id = readId(args, 'a notification');
    const queued = await resendNotification(await commandCtx(io), id);
    io.out(queued === 1 ? 'Queued.' : `Queued, with ${queued - 1} that belong to it.`);
    return 0;
  },
};
