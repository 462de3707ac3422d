// The doctor: looks over the installation and each monitored server, and says for everything that is not well what
// it is and what mends it. It only reads. Guards: whether a server answers is seen now; all else says of when it is.

import type { Ctx } from '../../identity/identity.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { NodeAway } from '../../kernel/db.ts';
import { UsageError } from '../../kernel/errors.ts';
import { append } from '../../kernel/lists.ts';
import { failingParts } from '../../kernel/part-states.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import { databaseSize } from '../../store/read/doors/runs.ts';
import { getConnectionCoverage } from './coverage.service.ts';
import { type Unmended, unmendedOf } from './coverage-remedies.ts';
import { readVitals, type Vitals } from './doctor.queries.ts';
import { getEstate } from './estate.service.ts';

export interface Finding {
  /** advice: it is well, and more could be known. */
  status: 'ok' | 'advice' | 'warning' | 'failed';
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

/** Without what no statement of ours could change, such as a machine that nobody tells about. */
const NOT_WELL: ReadonlySet<string> = new Set([...UNWELL].filter((status) => status !== 'missing_source'));

/** A connection as it answered when somebody looked just now. */
export interface Look {
  /** Null: it answers. */
  problem: string | null;
  server_version: string | null;
}

/** Looks at connections now, by id. */
export type Looking = (ids: readonly number[]) => Promise<ReadonlyMap<number, Look>>;

const STEPS = [
  { seconds: 86_400, name: 'd' },
  { seconds: 3600, name: 'h' },
  { seconds: 60, name: 'min' },
];

/** "5 min ago (2026-11-20T10:00:00Z)". */
function agoText(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  const step = STEPS.find((one) => seconds >= 2 * one.seconds);
  const ago = step ? `${Math.floor(seconds / step.seconds)} ${step.name}` : `${seconds} s`;
  return `${ago} ago (${at})`;
}

function collectorsOf(vitals: Vitals, now: number): Finding {
  const { live_collectors, newest_lease_until, monitored, spool_problem } = vitals;
  const subject = 'collector';
  const last =
    newest_lease_until === null ? '' : `; the last one was given up ${agoText(newest_lease_until, now)}`;
  if (live_collectors === 0 && monitored > 0)
    return {
      status: 'warning',
      subject,
      message: `None is running, so nothing is collected from ${monitored} monitored connections${last}.`,
      mend: 'npm start',
    };
  if (spool_problem !== null) return { status: 'warning', subject, message: spool_problem, mend: null };
  return { status: 'ok', subject, message: `${live_collectors} running.`, mend: null };
}

/** Work of this product that has failed for a minute. */
async function ownWork({ db }: Ctx): Promise<Finding[]> {
  const failing = await failingParts(db);
  if (failing.length === 0)
    return [
      { status: 'ok', subject: 'background work', message: 'All background work succeeds.', mend: null },
    ];
  return failing.map(({ part, title, since, failure }) => ({
    status: 'failed',
    subject: part,
    message: `${title} (since ${shownTime(since)}). ${failure}`,
    mend: null,
  }));
}

async function datastoreOf({ db }: Ctx, { server_version }: Vitals): Promise<Finding> {
  const found = { subject: 'datastore', mend: null };
  const version = `PostgreSQL ${server_version}`;
  try {
    const megabytes = Math.round((await databaseSize(db)) / 1024 / 1024);
    return { ...found, status: 'ok', message: `${version}, ${megabytes} MB used.` };
  } catch (error) {
    if (!(error instanceof NodeAway)) throw error;
    return { ...found, status: 'failed', message: `${version}. ${error.message}` };
  }
}

async function installation(ctx: Ctx): Promise<Finding[]> {
  const vitals = await readVitals(ctx.db);
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
        mend: commandLine('user link admin'),
      };
  return [
    await datastoreOf(ctx, vitals),
    collectorsOf(vitals, ctx.clock.now()),
    ...(await ownWork(ctx)),
    administrator,
  ];
}

const STATUSES: ReadonlyMap<string, Finding['status']> = new Map([
  ['failing', 'failed'],
  ['missing_source', 'advice'],
]);

async function problemsOf(ctx: Ctx, server: { connection_id: number; name: string }): Promise<Finding[]> {
  const { probes, remedies } = await getConnectionCoverage(ctx, server.connection_id);
  const subject = server.name;
  const mended = remedies.map(
    (remedy): Finding => ({
      status: remedy.status === 'incomplete' || remedy.status === 'missing_source' ? 'advice' : 'warning',
      subject,
      message: `${namesOf(remedy)}: ${remedy.reason ?? remedy.status}${inDatabase(remedy)}`,
      mend: remedy.statement,
    }),
  );
  const others = unmendedOf(probes, UNWELL).map(
    (group): Finding => ({
      status: STATUSES.get(group.status) ?? 'warning',
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
export const inDatabase = ({ database_name }: Pick<Remedy, 'database_name'>) =>
  database_name === null ? '' : ` Run this in the database ${database_name}:`;

/** Whether it answers now, and of when the newest sample is, which is another question. */
function answerOf(server: Server, look: Look | undefined, now: number): Finding {
  const { name, status, last_sample_at } = server;
  const sampled = last_sample_at === null ? 'No sample yet' : `Newest sample ${agoText(last_sample_at, now)}`;
  const subject = name;
  if (!look || look.problem !== null) {
    const problem = look?.problem ?? 'It could not be looked at.';
    return { status: 'failed', subject, message: `${problem} ${sampled}.`, mend: null };
  }
  const isFresh = status === 'online' || status === 'initialising';
  return {
    status: isFresh ? 'ok' : 'warning',
    subject,
    message: `Answers now, PostgreSQL ${look.server_version ?? 'of unknown version'}. ${sampled}${isFresh ? '' : ', which is too old: is a collector running?'}.`,
    mend: null,
  };
}

async function connections(ctx: Ctx, looking: Looking): Promise<Finding[]> {
  const { servers } = await getEstate(ctx);
  const monitored = servers.filter(({ is_monitored }) => is_monitored);
  const looks = await looking(monitored.map(({ connection_id }) => connection_id));
  const findings: Finding[] = [];
  for (const server of monitored) {
    findings.push(answerOf(server, looks.get(server.connection_id), ctx.clock.now()));
    if (server.problem_count > 0) append(findings, await problemsOf(ctx, server));
  }
  return findings;
}

type Remedy = Awaited<ReturnType<typeof getConnectionCoverage>>['remedies'][number];
type Entry = Awaited<ReturnType<typeof getConnectionCoverage>>['probes'][number];
type Server = Awaited<ReturnType<typeof getEstate>>['servers'][number];

/** One monitored server in full. */
export interface Examination {
  server: Pick<Server, 'connection_id' | 'name' | 'status' | 'version' | 'connection_error'>;
  /** Whether it answers now, and of when its newest sample is. */
  answer: Finding;
  own_cost: Awaited<ReturnType<typeof getConnectionCoverage>>['own_cost'];
  counts: Awaited<ReturnType<typeof getConnectionCoverage>>['counts'];
  probes: Entry[];
  /** What there is to do. */
  remedies: Remedy[];
  /** What nothing mends, and what there is to say of runs that are well. */
  unmended: Unmended[];
  /** Everything that should be collected is, and it answers. */
  well: boolean;
}

/** The connection of that name (whatever the case of its letters) or id. */
export async function examineConnection(ctx: Ctx, wanted: string, looking: Looking): Promise<Examination> {
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
  const { probes, own_cost, counts, remedies } = await getConnectionCoverage(ctx, server.connection_id);
  const { connection_id, name, status, version, connection_error } = server;
  const looks = await looking([connection_id]);
  const answer = answerOf(server, looks.get(connection_id), ctx.clock.now());
  return {
    server: { connection_id, name, status, version, connection_error },
    answer,
    own_cost,
    counts,
    probes,
    remedies,
    unmended: unmendedOf(
      probes.filter(({ reason }) => reason !== null),
      new Set([...UNWELL, 'ok', 'waiting']),
    ),
    well: answer.status === 'ok' && !probes.some((entry) => NOT_WELL.has(entry.status)),
  };
}

/** Everything the datastore knows about how well this installation is; `connections` as far as they are monitored. */
export async function examine(ctx: Ctx, looking: Looking): Promise<Finding[]> {
  return [...(await installation(ctx)), ...(await connections(ctx, looking))];
}
