// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import type { LoggedScene } from '../../testing/servers/rule-scenes/logged.ts';
import { run, segments } from '../../testing/servers/rule-scenes/scene.ts';
import { more } from '../../testing/store/log-case-rows.ts';

export const logged = more('archive_failed', 0);

export const loggedScene: LoggedScene = {
  rules: ['log_archive_failed'],
  lasts: 600,
  make: (server) =>
    run(
      server,
      "alter system set archive_command = 'false'",
      'select pg_reload_conf()',
      ...segments(1),
      'select pg_sleep(1)',
    ),
};
