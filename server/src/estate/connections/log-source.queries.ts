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
  pg_catalog.current_setting('lc_messages') as messages,
  -- Without the rights of pg_monitor they are not there.
  (select s.setting from pg_catalog.pg_settings s where s.name = 'data_directory') as data_directory,
  (select s.setting from pg_catalog.pg_settings s where s.name = 'log_directory') as log_directory
from (select 1) one
left join pg_catalog.pg_namespace n on n.nspname = ${literal(LOG_SCHEMA)}
left join pg_catalog.pg_proc p
  on p.pronamespace = n.oid
  and p.proname = ${literal(LOG_FUNCTION)}
  and p.proargtypes = '25 20'::pg_catalog.oidvector`;

export const LOG_SOURCE_REPLY = { columns: 10, rows: 1, bytes: 64 * 1024 } as const;

/** Those that end so, the newest of very many. */
export const LIST_LOG_FILES = `/* logs.list */
select f.name, f.size, extract(epoch from f.modification)::double precision as modified
from pg_catalog.pg_ls_logdir() f
where f.name ~ '[.](log|csv|json)$'
order by f.modification desc, f.name desc
limit 1000`;

export const LOG_LIST_REPLY = { columns: 3, rows: 1000, bytes: 1024 * 1024 } as const;

/** In base64, which takes less than the text of bytea. */
export const READ_LOG_FILE = `/* logs.read */
select
  pg_catalog.encode(f.head, 'base64') as head,
  pg_catalog.encode(f.bytes, 'base64') as bytes
from ${LOG_SCHEMA}.${LOG_FUNCTION}($1::pg_catalog.text, $2::pg_catalog.int8) f`;

export const LOG_READ_REPLY = { columns: 2, rows: 1, bytes: 2 * 1024 * 1024 } as const;
