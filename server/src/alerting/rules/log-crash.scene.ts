// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import { type LoggedScene, restart } from '../../testing/servers/rule-scenes/logged.ts';
import { more } from '../../testing/store/log-case-rows.ts';

export const logged = more('process_crashed', 0);

export const loggedScene: LoggedScene = { rules: ['log_crash'], make: restart };
