// The settings of notifications.
import type { Setting } from './settings.ts';

export const channelSettings = [
  {
    key: 'channels.allow_private_networks',
    type: 'boolean',
    default: false,
    description:
      'Whether notifications may go to loopback and private addresses. Users who manage channels then read the beginning of what servers there answer to a test.',
  },
  {
    key: 'channels.tls_ca_file',
    type: 'path',
    description:
      'PEM file with certificates of authorities that mail and web servers of notifications are trusted by, besides the usual ones.',
  },
  {
    key: 'channels.group_seconds',
    type: 'integer',
    default: 30,
    minimum: 0,
    maximum: 600,
    description:
      'Alerts of one cluster (or lone server) that come within so many seconds are sent in one notification, and a channel that groups sends one in twice that time at most; 0 sends each alone, at once.',
  },
  {
    key: 'channels.tests_per_minute',
    type: 'integer',
    default: 60,
    minimum: 1,
    maximum: 100000,
    description: 'Test notifications a minute of one user.',
  },
] as const satisfies readonly Setting[];
