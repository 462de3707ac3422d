// The SQL that makes the function by which log files are read, as a database administrator would write it. Pure. Guards: the function
// reads files of the log directory that pg_ls_logdir() lists and that are named as logs are, and nothing else; one role may call it.
import { quoteName } from './script-quotes.ts';

export const LOG_SCHEMA = 'matriarch_logs';
export const LOG_FUNCTION = 'matriarch_log_file';
/** What one call returns at most. */
export const LOG_CHUNK_BYTES = 1_048_576;
/** What of the start of a file comes along, by which another file of the same name is noticed. */
export const LOG_HEAD_BYTES = 256;

/**
 * A superuser has to run it, since the function reads with its owner's rights. A function that is there already is replaced with its
 * owner and its grants, so that nothing remains of one that another role made before. The name of a file must end as those of logs do,
 * since log_directory may be a directory with other files too. No backslash: its meaning is a setting of the caller.
 */
export function logsScript(role: string): string {
  const file = `${LOG_SCHEMA}.${LOG_FUNCTION}(text, bigint)`;
  return `begin;
create schema if not exists ${LOG_SCHEMA};
alter schema ${LOG_SCHEMA} owner to current_user;
revoke all on schema ${LOG_SCHEMA} from public;
drop function if exists ${file};
create function ${LOG_SCHEMA}.${LOG_FUNCTION}(file text, start bigint)
returns table (head bytea, bytes bytea)
language sql
volatile
strict
security definer
set search_path = pg_catalog, pg_temp
as $function$
  select
    pg_read_binary_file(found.path, 0, ${LOG_HEAD_BYTES}, true),
    pg_read_binary_file(found.path, $2, ${LOG_CHUNK_BYTES}, true)
  from (
    select current_setting('log_directory') || '/' || f.name as path
    from pg_ls_logdir() f
    where f.name = $1
      and $1 ~ '^[^./][^/]*[.](log|csv|json)$'
      and $2 >= 0
  ) found
$function$;
revoke all on function ${file} from public;
grant usage on schema ${LOG_SCHEMA} to ${quoteName(role)};
grant execute on function ${file} to ${quoteName(role)};
commit;`;
}
