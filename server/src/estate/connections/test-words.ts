// What a connection test found, as verdicts in plain words. Pure. What a role or an extension lacks is judged as the
// collector judges it.
import { cutText } from '../../kernel/inert-text.ts';
import {
  type Judgement,
  judgeExtension,
  judgeExtensionVersion,
  judgeRole,
  type Where,
} from '../../probes/requirements/judge.ts';
import { shown } from '../../probes/requirements/names.ts';
import { remedySentence } from '../../probes/requirements/remedy.ts';

export interface Verdict {
  status: 'ok' | 'warning' | 'failed';
  message: string;
}

const OLDEST = 140000;
/** The newest major version that tests run on: 19 as its release candidate, where MATRIARCH_TEST_POSTGRES_19 names its programs. */
const NEWEST_MAJOR = 19;
/** What one collector keeps open at most, with room for live calls. */
const SESSIONS = 4;

export function versionWords(server: { server_version: string; server_version_num: number }): Verdict {
  const name = `PostgreSQL ${server.server_version.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 60)}`;
  if (server.server_version_num <= 0) {
    return { status: 'failed', message: 'The server does not say which version of PostgreSQL it is.' };
  }
  if (server.server_version_num < OLDEST) {
    return { status: 'failed', message: `${name} is too old: version 14 or newer is needed.` };
  }
  if (server.server_version_num >= (NEWEST_MAJOR + 1) * 10_000) {
    return {
      status: 'warning',
      message: `${name} is newer than what has been tested (up to ${NEWEST_MAJOR}); some facts may be missing.`,
    };
  }
  return { status: 'ok', message: `${name} is supported.` };
}

export interface Rights {
  connection_limit: number;
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

/** What the judgements ask for, within a sentence. */
function problem({ reason, remedy }: Judgement, database: string): string {
  const sentence = reason.replace(/\.$/, '');
  return remedy === null ? sentence : `${sentence}: ${remedySentence(remedy, database)}`.replace(/;$/, '');
}

/** What the role lacks, beyond what the script gives in one go. */
function roleProblems(at: Where): string[] {
  const { username, server } = at;
  if (server?.is_superuser)
    return [
      `${username} is a superuser, which is far more than monitoring needs: use a role made by the script`,
    ];
  const judged = judgeRole('pg_monitor', at);
  if (!judged) return [];
  if (judged.cause === 'role_not_inherited') return [problem(judged, at.database)];
  const where = server?.is_in_recovery ? ' on the primary of this standby' : '';
  return [
    `${username} is not a member of pg_monitor, so most statistics stay hidden: run the script${where}`,
  ];
}

export function rightsWords(rights: Rights | undefined, at: Where): Verdict {
  const { username, server } = at;
  if (!rights || !server) return { status: 'failed', message: `The server knows no role ${username}.` };
  const problems = roleProblems(at);
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
  const role = server.is_in_recovery ? 'a standby' : 'a primary';
  return { status: 'ok', message: `${username} has what monitoring needs. The server is ${role}.` };
}

const EXTENSION = 'pg_stat_statements';

export function extensionWords(at: Where): Verdict {
  const { server, database } = at;
  if (!server) return { status: 'warning', message: 'The server told nothing about its extensions.' };
  const installed = server.extensions.get(EXTENSION)?.installed ?? undefined;
  const judged = judgeExtension(EXTENSION, installed, at) ?? judgeExtensionVersion(EXTENSION, at);
  if (judged) {
    const unknown = judged.status === 'incomplete' ? '' : ' Statements stay unknown until then.';
    return { status: 'warning', message: `${problem(judged, database)}.${unknown}` };
  }
  return {
    status: 'ok',
    message: `${EXTENSION} ${cutText(shown(installed ?? ''), 20)} is installed in ${database}.`,
  };
}
