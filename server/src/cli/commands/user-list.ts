// Lists the accounts.
import { listUsers } from '../../identity/auth/users.service.ts';
import { type Command, commandCtx, printTable } from '../command.ts';

const yes = (value: boolean) => (value ? 'yes' : 'no');

export const command: Command = {
  path: ['user', 'list'],
  summary: 'List users and service accounts',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const users = await listUsers(await commandCtx(io));
    if (args.flag('json')) {
      io.out(JSON.stringify({ users }, null, 2));
      return 0;
    }
    printTable(
      io,
      ['id', 'name', 'kind', 'enabled', 'superuser', 'password', 'created'],
      users.map((user) => [
        String(user.id),
        user.username,
        user.is_service_account ? 'service account' : 'person',
        yes(user.enabled),
        yes(user.is_superuser),
        user.is_service_account ? '-' : yes(user.has_password),
        user.created_at,
      ]),
    );
    return 0;
  },
};
