// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import type { LoggedScene } from '../../testing/servers/rule-scenes/logged.ts';
import { run, segments } from '../../testing/servers/rule-scenes/scene.ts';
import { more } from '../../testing/store/log-case-rows.ts';

export const logged = more('checkpoints_too_frequent', 5);

export const loggedScene: LoggedScene = {
  rules: ['log_checkpoints_too_frequent'],
  threshold: 0,
  make: (server) => run(server, ...segments(12)),
};
