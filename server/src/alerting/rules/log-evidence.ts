// Where a server writes its log, for rules that judge what is in it. Guards: the same statement for all of them.

/** On a server that logs to the journal or to syslog, look there. */
export const LOG_PLACE = `select name, setting
    from pg_settings
    where name in ('data_directory', 'log_destination', 'log_directory', 'log_filename', 'logging_collector')
    order by name`;
