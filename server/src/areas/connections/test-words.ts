// What a connection test found, as verdicts in plain words. Pure.

export interface Verdict {
  status: 'ok' | 'warning' | 'failed';
  message: string;
}

const OLDEST = 140000;
/** The newest major version that the probes have been tried on. */
const NEWEST_MAJOR = 18;
/** What one collector keeps open at most, with room for live calls. */
const SESSIONS = 4;

export function versionWords(server: { server_version: string; server_version_num: number }): Verdict {
  const name = `PostgreSQL ${server.server_version.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 60)}`;
  if (server.server_version_num < OLDEST) {
    return { status: 'failed', message: `${name} is too old: version 14 or newer is needed.` };
  }
  if (server.server_version_num >= (NEWEST_MAJOR + 1) * 10_000) {
    return {
      status: 'warning',
      message: `${name} is newer than what has been tried; some facts may be missing.`,
    };
  }
  return { status: 'ok', message: `${name} is supported.` };
}

export interface Rights {
  is_superuser: boolean;
  is_monitor: boolean;
  connection_limit: number;
  is_in_recovery: boolean;
  closed_databases: string[];
}

const SHOWN = 5;

function someOf(names: readonly string[]): string {
  const more = names.length - SHOWN;
  const shown = names
    .slice(0, SHOWN)
    .map((name) => name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd'))
    .join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

export function rightsWords(rights: Rights | undefined, username: string): Verdict {
  if (!rights) return { status: 'failed', message: `The server knows no role ${username}.` };
  const problems: string[] = [];
  if (rights.is_superuser) {
    problems.push(
      `${username} is a superuser, which is far more than monitoring needs: use a role made by the script`,
    );
  } else if (!rights.is_monitor) {
    problems.push(
      `${username} is not a member of pg_monitor, so most statistics stay hidden: run the script`,
    );
  }
  if (rights.connection_limit >= 0 && rights.connection_limit < SESSIONS) {
    problems.push(
      `${username} may have only ${rights.connection_limit} sessions at once: allow at least ${SESSIONS}`,
    );
  }
  if (rights.closed_databases.length > 0) {
    problems.push(
      `${username} may not connect to ${someOf(rights.closed_databases)}, which will be left out`,
    );
  }
  if (problems.length > 0) return { status: 'warning', message: `${problems.join('. ')}.` };
  const role = rights.is_in_recovery ? 'a standby' : 'a primary';
  return { status: 'ok', message: `${username} has what monitoring needs. The server is ${role}.` };
}

export interface Extensions {
  installed: string | null;
  is_available: boolean;
  is_preloaded: boolean | null;
}

const EXTENSION = 'pg_stat_statements';

export function extensionWords(found: Extensions | undefined, database: string): Verdict {
  const warning = (message: string): Verdict => ({ status: 'warning', message });
  if (!found) return warning('The server told nothing about its extensions.');
  const { installed, is_available: isAvailable, is_preloaded: isPreloaded } = found;
  const create = `create extension ${EXTENSION};`;
  const preload = `add it to shared_preload_libraries in postgresql.conf and restart`;
  if (installed !== null && isPreloaded !== false) {
    return { status: 'ok', message: `${EXTENSION} ${installed.slice(0, 20)} is installed in ${database}.` };
  }
  if (installed !== null) return warning(`${EXTENSION} is installed but not loaded: ${preload}.`);
  if (!isAvailable) {
    return warning(
      `${EXTENSION} is not on the server (package postgresql-contrib), so statements stay unknown.`,
    );
  }
  const both =
    isPreloaded === false
      ? `${preload}, then run in ${database}: ${create}`
      : `run in ${database}: ${create}`;
  return warning(`${EXTENSION} is missing, so statements stay unknown: ${both}`);
}
