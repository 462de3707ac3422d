// How far the initial copy of each table of a subscription has got. The server-wide figures are in
// pg_stat_subscription.
import { defineProbe } from './types.ts';
import { labels } from './view-columns.ts';

export const probe = defineProbe({
  name: 'pg_subscription_rel',
  description: 'State of each table of the subscriptions of a database.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'snapshot',
  columns: [
    { name: 'srsubid', type: 'bigint', kind: 'key', description: 'Object id of the subscription.' },
    { name: 'srrelid', type: 'bigint', kind: 'key', description: 'Object id of the table.' },
    ...labels([
      ['subname', 'Subscription.'],
      ['schemaname', 'Schema.'],
      ['relname', 'Table.'],
      ['srsubstate', 'i initialize, d copying, f copied, s synchronized, r ready.'],
      ['srsublsn', 'Position of the state change, for s and r.'],
    ]),
  ],
  caps: { maxRows: 10_000, maxText: 256 },
  sql: () => `select
  r.srsubid::bigint as srsubid,
  r.srrelid::bigint as srrelid,
  s.subname::text as subname,
  n.nspname::text as schemaname,
  c.relname::text as relname,
  r.srsubstate::text as srsubstate,
  r.srsublsn::text as srsublsn
from pg_catalog.pg_subscription_rel r
join pg_catalog.pg_subscription s on s.oid = r.srsubid
left join pg_catalog.pg_class c on c.oid = r.srrelid
left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
order by r.srsubstate = 'r', r.srsubid, r.srrelid`,
});
