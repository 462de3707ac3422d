// What a monitored server says of its log: where it writes it and how, and whether our role may read the files.
import { literal } from '../../monitored/masking.ts';
import { LOG_FUNCTION, LOG_SCHEMA } from './log-script.ts';

export const READ_LOG_SOURCE = `/* logs.source */
select
  p.oid is not null as is_there,
  coalesce(
    pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_function_privilege(p.oid, 'execute'),
    false
  ) as may_read,
  pg_catalog.has_function_privilege('pg_catalog.pg_ls_logdir()', 'execute') as may_list,
  pg_catalog.current_setting('logging_collector') = 'on' as writes_files,
  pg_catalog.current_setting('log_destination') as destination,
  pg_catalog.current_setting('log_line_prefix') as prefix,
  pg_catalog.current_setting('log_timezone') as time_zone,
  pg_catalog.current_setting('lc_messages') as messages
from (select 1) one
left join pg_catalog.pg_namespace n on n.nspname = ${literal(LOG_SCHEMA)}
left join pg_catalog.pg_proc p
  on p.pronamespace = n.oid
  and p.proname = ${literal(LOG_FUNCTION)}
  and p.proargtypes = '25 20'::pg_catalog.oidvector`;

export const LOG_SOURCE_REPLY = { columns: 8, rows: 1, bytes: 64 * 1024 } as const;
