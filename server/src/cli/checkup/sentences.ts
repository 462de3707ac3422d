// The sentences of a verdict, the same in every form that it is printed in. Pure.
import type { Report, ReportedFinding } from '../../insight/checks/report.ts';
import { isWithheld } from '../../insight/checks/withheld.ts';
import { shownTime, shownValue } from '../../kernel/shown-value.ts';

const PROOFS: Readonly<Record<ReportedFinding['proof'], string>> = {
  stated: 'stated by the server',
  measured: 'measured',
  tried: 'tried on the server',
  confirmed: 'confirmed',
};

export const SEVERITY_TITLES = {
  critical: 'Act now',
  warning: 'Plan soon',
  info: 'Worth knowing',
} as const;

const count = (many: number, one: string) => `${many} ${many === 1 ? one : `${one}s`}`;

export function headline({ worst, counts, unknown }: Report): string {
  const found = [
    counts.critical > 0 ? `${counts.critical} critical` : '',
    counts.warning > 0 ? count(counts.warning, 'warning') : '',
    counts.info > 0 ? count(counts.info, 'note') : '',
  ].filter((part) => part !== '');
  const rest =
    unknown.length > 0 ? ` ${count(unknown.length, 'reason')} why something could not be judged.` : '';
  if (worst === null) return `Nothing was found.${rest}`;
  return `${found.join(', ')}.${rest}`;
}

/** What our role may not read stands first; null: nothing is withheld from it. */
export function withheldLine({ unknown }: Report): string | null {
  const titles = [...new Set(unknown.filter(isWithheld).flatMap(({ checks }) => checks))];
  if (titles.length === 0) return null;
  const more = titles.length > 3 ? ` and ${titles.length - 3} more` : '';
  return `Our role may not read all that is there, so these are not judged: ${titles.slice(0, 3).join(', ')}${more}. The grants are at the end.`;
}

export function serverLine({ server }: Report): string {
  const { server_version, host, port, username, is_encrypted, is_standby, databases } = server;
  const role = is_standby === null ? '' : is_standby ? ', standby' : ', primary';
  const read =
    databases.read < databases.all ? `${databases.read} of ${databases.all}` : String(databases.all);
  const tls = is_encrypted ? 'over TLS' : 'without TLS';
  return `PostgreSQL ${server_version}${role} on ${host}:${port}, as ${username} ${tls}; ${read} ${databases.all === 1 ? 'database' : 'databases'} read.`;
}

export function watchedLine({ watched }: Report): string {
  const { seconds, transactions_per_second: transactions, load, waits } = watched;
  if (transactions === null && load === null) return 'What goes on there could not be read.';
  const work = load === null ? '' : `${load.toFixed(1)} active sessions on average`;
  const kinds = waits.slice(0, 3).map(({ name, sessions }) => `${name} ${sessions.toFixed(1)}`);
  const most = kinds.length > 0 ? ` (${kinds.join(', ')})` : '';
  const rate = transactions === null ? '' : `${shownValue(transactions, '')} transactions a second`;
  return `In ${seconds.toFixed(0)} s: ${[rate, `${work}${most}`].filter((part) => part !== '').join(', ')}.`;
}

export function checksLine({ checks }: Report): string {
  return `${checks.applied} checks apply to this server; ${checks.well} of them found nothing and had all they need.`;
}

export function proofOf({ proof, counted_since }: ReportedFinding): string {
  return counted_since === null ? PROOFS[proof] : `${PROOFS[proof]} since ${shownTime(counted_since)}`;
}

export const placeOf = ({ database_name, object_name }: ReportedFinding): string =>
  [object_name, database_name && `in ${database_name}`].filter(Boolean).join(' ');
