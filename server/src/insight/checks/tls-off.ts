// Servers that others reach over the network without TLS.

import type { Facts } from './facts.ts';
import { listensToOthers } from './hba.ts';
import { countOf } from './sessions.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

const LOOPBACK = /^(?:127\.|::1$)/;

/** Sessions of other machines; null: nobody can tell. */
function remoteSessions(facts: Facts): number | null {
  if (facts.databasesRead('pg_stat_activity').size === 0) return null;
  const remote = facts.rows('pg_stat_activity').filter((row) => {
    const address = row.text('client_addr');
    return address !== null && !LOOPBACK.test(address);
  });
  return countOf(remote);
}

export const check = defineCheck({
  name: 'tls_off',
  category: 'security',
  title: 'TLS disabled',
  figureName: 'sessions without TLS',
  meaning: 'Traffic is unencrypted, and clients cannot verify the server.',
  advice: 'Install a certificate and turn ssl on. Then require it with hostssl in pg_hba.conf.',
  caution: 'A private network or tunnel may already protect the traffic. The certificate files must exist.',
  source: 'ssl-tcp.html',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting'] },
  uses: { pg_stat_activity: ['client_addr', 'stands_for'] },
  judge: (facts) => {
    if (facts.setting('ssl') !== 'off' || !listensToOthers(facts)) return NOTHING;
    const sessions = remoteSessions(facts);
    const now = sessions ? `. ${sessions} remote session${sessions === 1 ? ' is' : 's are'} unencrypted` : '';
    return foundOnServer({
      object_name: 'ssl',
      severity: sessions ? 'warning' : 'info',
      message: `The server accepts network connections without TLS${now}.`,
      figure: sessions === null ? null : { value: sessions, unit: 'count' },
      evidence: {
        ssl: 'off',
        listen_addresses: facts.setting('listen_addresses') ?? null,
        remote_sessions: sessions,
      },
      remedy: `-- With the certificate and key as server.crt and server.key in the data directory:
alter system set ssl = on;
select pg_reload_conf();`,
    });
  },
});
