// Servers that keep no connection free for their administrators.
import { byRestart } from './remedies.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'no_reserved_connections',
  category: 'connections',
  title: 'No reserved superuser connections',
  meaning: 'When clients use all connections, administrators cannot log in to end sessions.',
  advice: 'Reserve a few connections for superusers.',
  caution: 'The change needs a restart, and ordinary roles get fewer connections.',
  source: 'runtime-config-connection.html#GUC-SUPERUSER-RESERVED-CONNECTIONS',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) =>
    facts.settingNumber('superuser_reserved_connections') === 0
      ? foundOnServer({
          object_name: 'superuser_reserved_connections',
          severity: 'warning',
          message: `None of the ${facts.setting('max_connections') ?? ''} connections is reserved for superusers.`,
          figure: null,
          evidence: {
            superuser_reserved_connections: 0,
            max_connections: facts.settingNumber('max_connections') ?? null,
          },
          remedy: byRestart('superuser_reserved_connections', '3'),
        })
      : NOTHING,
});
