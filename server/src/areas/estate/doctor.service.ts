// The doctor: looks over the installation and each monitored server, and says for everything that is not well what
// it is and what mends it. It only reads.

import { UsageError } from '../../kernel/errors.ts';
import { append } from '../../kernel/lists.ts';
import type { Ctx } from '../access/principal.ts';
import { getConnectionCoverage } from './coverage.service.ts';
import { type Unmended, unmendedOf } from './coverage-remedies.ts';
import { readVitals, type Vitals } from './doctor.queries.ts';
import { getEstate } from './estate.service.ts';

export interface Finding {
  status: 'ok' | 'warning' | 'failed';
  subject: string;
  message: string;
  /** The command or SQL that mends it. */
  mend: string | null;
}

const UNWELL: ReadonlySet<string> = new Set([
  'masked',
  'skipped',
  'missing_extension',
  'missing_grant',
  'missing_source',
  'failing',
  'stale',
]);

function collectorsOf({ live_collectors, monitored, spool_problem }: Vitals): Finding {
  const subject = 'collector';
  if (live_collectors === 0 && monitored > 0)
    return {
      status: 'warning',
      subject,
      message: `None is running, so nothing is collected from ${monitored} monitored connections.`,
      mend: 'matriarch start',
    };
  if (spool_problem !== null) return { status: 'warning', subject, message: spool_problem, mend: null };
  return { status: 'ok', subject, message: `${live_collectors} running.`, mend: null };
}

async function installation(ctx: Ctx): Promise<Finding[]> {
  const vitals = await readVitals(ctx.db);
  const megabytes = Math.round(vitals.size_bytes / 1024 / 1024);
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
  return [datastore, collectorsOf(vitals), administrator];
}

async function problemsOf(ctx: Ctx, server: { connection_id: number; name: string }): Promise<Finding[]> {
  const { probes, remedies } = await getConnectionCoverage(ctx, server.connection_id);
  const subject = server.name;
  const mended = remedies.map(
    (remedy): Finding => ({
      status: 'warning',
      subject,
      message: `${namesOf(remedy)}: ${remedy.reason ?? remedy.status}${placeOf(remedy)}`,
      mend: remedy.statement,
    }),
  );
  const others = unmendedOf(probes, UNWELL).map(
    (group): Finding => ({
      status: group.status === 'failing' ? 'failed' : 'warning',
      subject,
      message: `${namesOf(group)}: ${group.reason}`,
      mend: null,
    }),
  );
  return [
    ...others.filter(({ status }) => status === 'failed'),
    ...mended,
    ...others.filter(({ status }) => status !== 'failed'),
  ];
}

const MOST_NAMES = 4;

function few(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more > 1 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${more} more` : names.join(', ');
}

/** The probes and databases that something is said of, in a few words. */
export function namesOf({ probes, databases }: Pick<Unmended, 'probes' | 'databases'>): string {
  return `${few(probes)}${databases.length === 0 ? '' : ` in ${few(databases)}`}`;
}

/** Where a remedy has to be run, as the end of a sentence. */
export const placeOf = ({ database_name }: { database_name: string | null }) =>
  database_name === null ? '' : ` Run this in the database ${database_name}:`;

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
    append(findings, problems);
  }
  return findings;
}

type Entry = Awaited<ReturnType<typeof getConnectionCoverage>>['probes'][number];
type Server = Awaited<ReturnType<typeof getEstate>>['servers'][number];

/** One monitored server in full. */
export interface Examination {
  server: Pick<Server, 'connection_id' | 'name' | 'status' | 'version' | 'connection_error'>;
  own_cost: Awaited<ReturnType<typeof getConnectionCoverage>>['own_cost'];
  probes: Entry[];
  /** What there is to do. */
  remedies: Awaited<ReturnType<typeof getConnectionCoverage>>['remedies'];
  /** What nothing mends, and what there is to say of runs that are well. */
  unmended: Unmended[];
  /** Something on it failed. */
  failed: boolean;
}

/** The connection of that name (whatever the case of its letters) or id. */
export async function examineConnection(ctx: Ctx, wanted: string): Promise<Examination> {
  const { servers } = await getEstate(ctx);
  const found = servers.filter(
    ({ connection_id, name }) =>
      String(connection_id) === wanted || name.toLowerCase() === wanted.toLowerCase(),
  );
  const [server] = found;
  if (!server) throw new UsageError(`There is no connection ${wanted}.`);
  if (found.length > 1) {
    const ids = found.map(({ connection_id }) => connection_id).join(', ');
    throw new UsageError(`Several connections are called ${wanted}; name one by its id: ${ids}.`);
  }
  const { probes, own_cost, remedies } = await getConnectionCoverage(ctx, server.connection_id);
  const { connection_id, name, status, version, connection_error } = server;
  return {
    server: { connection_id, name, status, version, connection_error },
    own_cost,
    probes,
    remedies,
    unmended: unmendedOf(
      probes.filter(({ reason }) => reason !== null),
      new Set([...UNWELL, 'ok']),
    ),
    failed: connection_error !== null || probes.some((entry) => entry.status === 'failing'),
  };
}

/** Everything the datastore knows about how well this installation is; `connections` as far as they are monitored. */
export async function examine(ctx: Ctx): Promise<Finding[]> {
  return [...(await installation(ctx)), ...(await connections(ctx))];
}
