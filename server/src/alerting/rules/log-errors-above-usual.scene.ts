// What is counted in the log just beyond the threshold and just not, and the trouble on a server.

import { fails, type LoggedScene } from '../../testing/servers/rule-scenes/logged.ts';
import type { LogCase } from '../../testing/store/log-case-rows.ts';

export const logged: LogCase = {
  usual: { class: 'unique_violation', events: 20, severity: 'ERROR' },
  bad: { class: 'unique_violation', events: 101, severity: 'ERROR' },
  good: { class: 'unique_violation', events: 100, severity: 'ERROR' },
  object: 'unique_violation',
};

export const loggedScene: LoggedScene = {
  rules: ['log_errors_above_usual'],
  make: (server) => fails(server, 'selec 1', 51),
};
