// Rules of pg_hba.conf with a secret in them, as every version takes them.
import type { Major } from './cluster.ts';

/** A method with a secret; PostgreSQL 19 does not have radius any more. */
export const SECRETIVE = (major: Major) =>
  major < 19
    ? { method: 'radius', rest: 'radiusservers=127.0.0.1', secret: 'radiussecrets' }
    : { method: 'ldap', rest: 'ldapserver=127.0.0.1 ldapbasedn="dc=x"', secret: 'ldapbindpasswd' };
export const hbaWithSecret = (major: Major, { method, rest, secret } = SECRETIVE(major)) => [
  'host all all 127.0.0.1/32 scram-sha-256',
  `host nothing all 10.0.0.0/8 ${method} ${rest} ${secret}="hunter2"`,
];
