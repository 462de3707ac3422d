// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import { deadlock } from '../../testing/servers/deadlock.ts';
import type { LoggedScene } from '../../testing/servers/rule-scenes/logged.ts';
import { more } from '../../testing/store/log-case-rows.ts';

export const logged = more('deadlock', 5, 'ERROR');

// At least seven of them are of one minute.
export const loggedScene: LoggedScene = {
  rules: ['log_deadlocks_per_minute'],
  make: (server) => deadlock(server, 14),
};
