// matriarch notifications release: what was held back is sent, or dropped.
import { releaseNotifications } from '../../alerting/notification-channels/holds.service.ts';
import { type Command, commandCtx } from '../command.ts';

export const command: Command = {
  path: ['notifications', 'release'],
  summary: 'Send the notifications that were held back, or drop them',
  options: [
    {
      flags: '--drop',
      description: 'drop what waits, as when the original has sent it; later ones are sent',
    },
  ],
  async run(io, args) {
    const drop = args.flag('drop');
    const waiting = await releaseNotifications(await commandCtx(io), { drop });
    io.out(
      `${waiting} ${waiting === 1 ? 'notification' : 'notifications'} ${drop ? 'dropped' : 'released'}.`,
    );
    return 0;
  },
};
