// The SQL that makes a server log plans of slow statements.

/** Sessions that begin after it log plans of what takes longer than a second. */
export const AUTO_EXPLAIN = [
  "load 'auto_explain';",
  "alter system set session_preload_libraries = 'auto_explain';",
  "alter system set auto_explain.log_min_duration = '1s';",
  "alter system set auto_explain.log_format = 'json';",
  'select pg_reload_conf();',
].join('\n');
