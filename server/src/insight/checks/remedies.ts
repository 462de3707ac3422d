// Remedies that change a setting or end a session, as people run them. Pure.

export const byReload = (name: string, value: string): string =>
  `alter system set ${name} = ${value};\nselect pg_reload_conf();`;

export const byRestart = (name: string, value: string): string =>
  `alter system set ${name} = ${value};\n-- Restart the server afterwards.`;

/**
 * Acts on a session while the same transaction is open, and on nobody else: by the time somebody runs it, the session may serve others, its
 * process id may be another session's, and a proxy may lead to another server. `since`: when the transaction began, in milliseconds by
 * the clock of the server.
 */
export const endSession = (act: 'cancel' | 'terminate', pid: number | null, since: number | null): string =>
  since === null
    ? `select pg_${act}_backend(${pid});`
    : `select pg_${act}_backend(pid) from pg_stat_activity where pid = ${pid} and coalesce(xact_start, backend_start) <= '${new Date(since + 1).toISOString()}';`;
