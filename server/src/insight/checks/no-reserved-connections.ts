// Servers that keep no connection free for their administrators.
import { byRestart } from './remedies.ts';
import { defineCheck, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'no_reserved_connections',
  category: 'connections',
  title: 'No connection is kept for administrators',
  meaning: 'When clients have taken all connections, nobody can log in to end some.',
  advice: 'Reserve a few for superusers.',
  caution: 'The change takes a restart, and ordinary roles have as many fewer.',
  source: 'runtime-config-connection.html#GUC-SUPERUSER-RESERVED-CONNECTIONS',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) =>
    facts.settingNumber('superuser_reserved_connections') === 0
      ? {
          found: [
            {
              database_name: '',
              object_name: 'superuser_reserved_connections',
              severity: 'warning',
              message: `No one of the ${facts.setting('max_connections') ?? ''} connections is reserved for superusers.`,
              figure: null,
              evidence: {
                superuser_reserved_connections: 0,
                max_connections: facts.settingNumber('max_connections') ?? null,
              },
              remedy: byRestart('superuser_reserved_connections', '3'),
            },
          ],
        }
      : NOTHING,
});
