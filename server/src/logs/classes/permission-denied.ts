// Permission denied: a role tried what it may not do.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'permission_denied',
  group: 'errors',
  title: 'Permission denied',
  meaning: 'A role tried what it may not do.',
  weight: 'warning',
  remedy: 'Grant the right if it should have it; otherwise find out who tried.',
  texts: {
    '42501': [
      'permission denied for …',
      'permission denied to …',
      'must be owner of …',
      'must be superuser …',
      'must be member of role …',
      'new row violates row-level security policy for table "…"…',
      'permission denied: …',
    ],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['42501'],
  examples: [{ since: 14, line: 'ERROR:  permission denied for table orders' }],
});
