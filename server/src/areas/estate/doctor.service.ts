// The doctor: looks over the installation and each monitored server, and says for everything that is not well what
// it is and what mends it. It only reads.
import type { Ctx } from '../access/principal.ts';
import { getConnectionCoverage } from './coverage.service.ts';
import { readVitals } from './doctor.queries.ts';
import { getEstate } from './estate.service.ts';

export interface Finding {
  status: 'ok' | 'warning' | 'failed';
  subject: string;
  message: string;
  /** The command or SQL that mends it. */
  mend: string | null;
}

const UNWELL = new Set(['skipped', 'missing_extension', 'missing_grant', 'failing', 'stale']);

async function installation(ctx: Ctx): Promise<Finding[]> {
  const vitals = await readVitals(ctx.db);
  const megabytes = Math.round(vitals.size_bytes / 1024 / 1024);
  const collectors: Finding =
    vitals.live_collectors > 0 || vitals.monitored === 0
      ? { status: 'ok', subject: 'collector', message: `${vitals.live_collectors} running.`, mend: null }
      : {
          status: 'warning',
          subject: 'collector',
          message: `None is running, so nothing is collected from ${vitals.monitored} monitored connections.`,
          mend: 'matriarch start',
        };
  const administrator: Finding = vitals.can_sign_in
    ? {
        status: 'ok',
        subject: 'administrator',
        message: 'A superuser can sign in with a password.',
        mend: null,
      }
    : {
        status: 'warning',
        subject: 'administrator',
        message: 'No superuser has a password yet.',
        mend: 'matriarch user link admin',
      };
  const datastore: Finding = {
    status: 'ok',
    subject: 'datastore',
    message: `PostgreSQL ${vitals.server_version}, ${megabytes} MB used.`,
    mend: null,
  };
  return [datastore, collectors, administrator];
}

async function problemsOf(ctx: Ctx, server: { connection_id: number; name: string }): Promise<Finding[]> {
  const { probes } = await getConnectionCoverage(ctx, server.connection_id);
  return probes
    .filter(({ status }) => UNWELL.has(status))
    .map(({ probe, database_name, reason, mend, status }) => ({
      status: status === 'failing' ? 'failed' : 'warning',
      subject: server.name,
      message: `${probe}${database_name === null ? '' : ` in ${database_name}`}: ${reason ?? status}`,
      mend,
    }));
}

async function connections(ctx: Ctx): Promise<Finding[]> {
  const { servers } = await getEstate(ctx);
  const findings: Finding[] = [];
  for (const server of servers.filter(({ is_monitored }) => is_monitored)) {
    const { name, status, version, connection_error } = server;
    const problems = server.problem_count > 0 ? await problemsOf(ctx, server) : [];
    const reached = status === 'online' && connection_error === null;
    findings.push({
      status: reached ? 'ok' : 'failed',
      subject: name,
      message: reached
        ? `PostgreSQL ${version ?? 'of unknown version'}, ${status}.`
        : (connection_error ?? `The server is ${status}.`),
      mend: null,
    });
    findings.push(...problems);
  }
  return findings;
}

/** Everything the datastore knows about how well this installation is; `connections` as far as they are monitored. */
export async function examine(ctx: Ctx): Promise<Finding[]> {
  return [...(await installation(ctx)), ...(await connections(ctx))];
}
