// The settings of what is kept of the logs of monitored servers.
import type { Setting } from './settings.ts';

export const logSettings = [
  {
    key: 'logs.bytes_per_day',
    type: 'integer',
    default: 67_108_864,
    minimum: 0,
    maximum: 1_099_511_627_776,
    description:
      'Most bytes in the datastore that lines of one server take a day, besides events that matter. Beyond it lines are sampled by class; counts stay exact. 0 keeps no lines.',
  },
  {
    key: 'logs.keep_literals',
    type: 'boolean',
    default: false,
    description:
      'Keep the constants of statements in texts of logs, for those with the permission read_logs. Secrets are masked in any case.',
  },
] as const satisfies readonly Setting[];
