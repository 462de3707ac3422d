// How each connection is protected: TLS and GSSAPI side by side.
import { defineProbe } from './types.ts';
import { flags, labels, viewColumns } from './view-columns.ts';

const SSL = 'pg_catalog.pg_stat_ssl';
const GSS = 'pg_catalog.pg_stat_gssapi';

const ssl = [
  { name: 'pid', type: 'integer', kind: 'key', description: 'Process.' },
  { name: 'ssl', type: 'boolean', kind: 'label', description: 'Uses TLS.' },
  { name: 'cipher', type: 'text', kind: 'label', description: 'Cipher in use.' },
  { name: 'bits', type: 'integer', kind: 'label', description: 'Bits of its key.' },
  { name: 'client_dn', type: 'text', kind: 'label', description: "Subject of the client's certificate." },
  { name: 'issuer_dn', type: 'text', kind: 'label', description: 'Issuer of that certificate.' },
] as const;

const gss = [
  { name: 'gss_authenticated', type: 'boolean', kind: 'label', description: 'Signed in by GSSAPI.' },
  { name: 'principal', type: 'text', kind: 'label', description: 'Principal that signed in.' },
  ...flags([
    ['gss_encrypted', 'Encrypted by GSSAPI.'],
    ['credentials_delegated', 'The client handed its credentials on (16+).'],
  ]),
] as const;

export const probe = defineProbe({
  name: 'pg_stat_connection_security',
  description: 'TLS and GSSAPI of each connection.',
  level: 'S',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'samples',
  hidden: { without: 'pg_read_all_stats', column: 'ssl' },
  views: [SSL, GSS],
  columns: [
    ...ssl,
    ...labels([
      ['ssl_version', 'Version of TLS.'],
      ['client_serial', "Number of the client's certificate."],
    ]),
    ...gss,
  ],
  caps: { maxRows: 2000, maxBytes: 4 * 1024 * 1024, maxText: 1024, timeoutMs: 5000 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: SSL, alias: 's' }, ssl)},
  s.version as ssl_version,
  s.client_serial::text as client_serial,
${viewColumns(capabilities, { view: GSS, alias: 'g', former: { gss_encrypted: ['encrypted'] } }, gss)}
from ${SSL} s
left join ${GSS} g on g.pid = s.pid
order by s.ssl, s.pid`,
});
