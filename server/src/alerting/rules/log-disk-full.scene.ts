// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import { fails, type LoggedScene } from '../../testing/servers/rule-scenes/logged.ts';
import { more } from '../../testing/store/log-case-rows.ts';

export const logged = more('disk_full', 0, 'ERROR');

export const loggedScene: LoggedScene = {
  rules: ['log_disk_full'],
  make: (server) => fails(server, "copy (select generate_series(1, 100000)) to '/dev/full'"),
};
