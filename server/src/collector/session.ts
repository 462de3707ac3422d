// A session on a monitored server together with what is known of the server: the kept one of a connection, or a
// short one on a further database. Guards: read-only, with timeouts for statements and locks, no JIT, no snapshot of
// statistics, and settings of the role that would end or slow it are overridden.
import { cutText } from '../kernel/inert-text.ts';
import {
  type Asking,
  connectTarget,
  type PendingReply,
  type ReplyLimits,
  SESSION_STATEMENT,
  type TargetClient,
  TargetError,
} from '../monitored/connect.ts';
import {
  READ_REQUIREMENTS,
  REQUIREMENTS_REPLY,
  readServer,
  type ServerReading,
} from '../probes/requirements/reading.queries.ts';
import type { Capabilities, Probe } from '../probes/types.ts';
import type { OwnLog } from './own-log.ts';
import { type Answer, type PipelineSession, runPipeline } from './pipeline.ts';
import type { ServerSign } from './server-switch.ts';
import { sharedCapabilities } from './shared-capabilities.ts';
import { capabilitiesStatement, PING, SYSTEM_IDENTIFIER } from './target.queries.ts';
import type { CollectorTarget } from './types.ts';

const STATEMENT_TIMEOUT_MS = 15_000;
/** A server that does not answer a ping for so long hangs. */
export const PING_LIMIT_MS = 5000;
const OLDEST_VERSION_NUM = 140_000;
const MAX_REPLY_BYTES = 32 * 1024 * 1024;

/** Of the statements that a session begins with. Capabilities name the columns of some thirty views. */
export const PING_REPLY: ReplyLimits = { columns: 4, rows: 1, bytes: 16 * 1024 };
const CAPABILITIES_REPLY: ReplyLimits = { columns: 8, rows: 1, bytes: 1024 * 1024 };
const READ_SERVER = { text: READ_REQUIREMENTS, how: REQUIREMENTS_REPLY };

const SESSION_SETTINGS = {
  // The server converts and refuses nothing: what bytes mean is decided here, value by value.
  client_encoding: 'SQL_ASCII',
  default_transaction_read_only: 'on',
  lock_timeout: '100ms',
  idle_in_transaction_session_timeout: '10s',
  stats_fetch_consistency: 'none',
  jit: 'off',
  work_mem: '4MB',
  max_parallel_workers_per_gather: '0',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
} as const;

/** Our own statements would take the places of others there, one for each text and database; also the first ones would. */
const UNCOUNTED = '-c pg_stat_statements.track=none';

export interface Session extends PipelineSession {
  readonly database: string;
  capabilities: Capabilities;
  /** Monotonic time at which the capabilities were read. */
  capabilitiesAt: number;
  /** What the server says of itself; read over the kept session alone, where it is the same in every database. */
  server?: ServerReading;
  /** What the server's part in replication looked like, and when (monotonic). */
  roleSeen?: { signature: string; at: number };
  /** What ended it, once it is lost. */
  lostBy?: TargetError;
}

export interface Identity {
  /** System identifier (empty where we may not know it) and start time. */
  readonly key: string;
  readonly sign: ServerSign;
  /** Its time as it answered, and how long that took. */
  readonly clock: unknown;
  readonly took_ms: number;
  readonly is_in_recovery: boolean;
}

export interface OpenSession {
  target: CollectorTarget;
  database: string;
  connectTimeoutMs: number;
  signal: AbortSignal;
  onLost?: () => void;
  watch?: SessionWatch;
  /** The role may keep its statements out of pg_stat_statements. */
  isUncounted?: boolean;
}

/** Told what happens on the server's side of a session. */
export interface SessionWatch {
  /** What was sent, where that is counted. */
  readonly ownLog?: OwnLog;
  opened(): void;
  closed(): void;
  /** A statement was answered or failed in that database. */
  ran(text: string, failed: boolean, database: string): void;
}

/** Never sent: the session was over. */
const UNSENT = new Set(['closed', 'cancelled']);

/** The same session, and `watch` is told. */
function watched(client: TargetClient, watch: SessionWatch, database: string): TargetClient {
  let isOpen = true;
  const ended = () => {
    if (isOpen) watch.closed();
    isOpen = false;
  };
  watch.opened();
  watch.ran(SESSION_STATEMENT, false, database);
  client.onLost(ended);
  const { server_version_num, server_version, tls, address, way, backend_pid } = client;
  const ask = <T extends object>(text: string, values?: readonly unknown[], how?: Asking) => {
    const reply: PendingReply<T> = client.ask<T>(text, values, how);
    reply.rows.then(
      () => watch.ran(text, false, database),
      (error: unknown) => {
        if (!(error instanceof TargetError && UNSENT.has(error.code))) watch.ran(text, true, database);
      },
    );
    return reply;
  };
  return {
    server_version_num,
    server_version,
    backend_pid,
    way,
    tls,
    address,
    ask,
    query: <T extends object>(text: string, values?: readonly unknown[], how?: Asking) => {
      const { rows, free } = ask<T>(text, values, how);
      return rows.finally(free);
    },
    onLost: (callback) => client.onLost(callback),
    close: () => {
      ended();
      return client.close();
    },
    destroy: () => {
      ended();
      client.destroy();
    },
  };
}

const NOTHING: Capabilities = {
  version_num: 0,
  may_read_control: false,
  columns: new Map(),
  extensions: new Map(),
  extensionSchemas: new Map(),
  closedSchemas: new Map(),
  roles: new Set(),
  functions: new Set(),
};

/** Connects and readies the session; nothing is known of the server yet but its version. Rejects with TargetError. */
export async function openSession(options: OpenSession): Promise<Session> {
  const { target, database, connectTimeoutMs, signal, onLost, watch, isUncounted } = options;
  const connected = await connectTarget(
    {
      ...target.settings,
      database,
      application_name: 'matriarch',
      connect_timeout_ms: connectTimeoutMs,
      statement_timeout_ms: STATEMENT_TIMEOUT_MS,
      pipeline: true,
      session: SESSION_SETTINGS,
      ...(isUncounted && { startup_options: UNCOUNTED }),
      max_socket_bytes: MAX_REPLY_BYTES,
    },
    signal,
  );
  refuseOld(connected);
  const client = watch ? watched(connected, watch, database) : connected;
  const session: Session = {
    client,
    database,
    timeouts: { usual: STATEMENT_TIMEOUT_MS, inForce: STATEMENT_TIMEOUT_MS },
    lost: () => session.lostBy !== undefined,
    capabilities: { ...NOTHING, version_num: client.server_version_num },
    capabilitiesAt: Number.NEGATIVE_INFINITY,
  };
  client.onLost((error) => {
    session.lostBy = error;
    onLost?.();
  });
  return session;
}

function pairs(value: unknown, second = 1): [string, unknown][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) =>
    Array.isArray(entry) && typeof entry[0] === 'string'
      ? [[entry[0], entry[second]] satisfies [string, unknown]]
      : [],
  );
}

const quoted = (name: unknown) => `"${String(name).replaceAll('"', '""')}"`;

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];

function closedOf(extensions: unknown): Map<string, string> {
  const schemas = new Map(pairs(extensions, 2));
  const closed = pairs(extensions, 3).filter(([, isUsable]) => isUsable === false);
  return new Map(closed.map(([name]) => [name, String(schemas.get(name))]));
}

export function readCapabilities(
  row: Record<string, unknown> | undefined,
  client: Pick<TargetClient, 'server_version_num'>,
): Capabilities {
  return {
    version_num: client.server_version_num,
    may_read_control: row?.may_read_control === true,
    columns: new Map(pairs(row?.columns).map(([name, columns]) => [name, new Set(texts(columns))])),
    extensions: new Map(pairs(row?.extensions).map(([name, version]) => [name, String(version)])),
    extensionSchemas: new Map(pairs(row?.extensions, 2).map(([name, schema]) => [name, quoted(schema)])),
    closedSchemas: closedOf(row?.extensions),
    roles: new Set(texts(row?.roles)),
    functions: new Set(texts(row?.functions)),
  };
}

export const viewsOf = (probes: readonly Probe[]): string[] => [
  ...new Set(probes.flatMap(({ views = [] }) => views)),
];

export const functionsOf = (probes: readonly Probe[]): string[] => [
  ...new Set(probes.flatMap(({ requires }) => requires?.functions ?? [])),
];

/** Asks what is offered of what these probes want. */
export const capabilitiesOf = (probes: readonly Probe[]) => ({
  text: capabilitiesStatement(viewsOf(probes), functionsOf(probes)),
  how: CAPABILITIES_REPLY,
});

/** Empty where our role may not know it: a question that is refused would be a line in the server's log. */
async function systemIdentifier(session: Session): Promise<string> {
  if (!session.capabilities.may_read_control) return '';
  const [identity] = await runPipeline(session, [{ text: SYSTEM_IDENTIFIER, how: PING_REPLY }]);
  return identity?.kind === 'answered' ? String(identity.rows[0]?.system_identifier) : '';
}

/** Keeps what is known when the answer failed: it is only for the words. */
function noteServer(session: Session, answer: Answer | undefined): void {
  const server = answer?.kind === 'answered' ? readServer(answer.rows[0]) : undefined;
  if (server) session.server = server;
}

/** Asks who the server is and what it offers; a failure is that of the session. */
export async function learn(session: Session, probes: readonly Probe[], now: number): Promise<Identity> {
  const statements = [{ text: PING, how: PING_REPLY }, capabilitiesOf(probes), READ_SERVER];
  const [ping, capabilities, requirements] = await runPipeline(session, statements, {
    firstWithinMs: PING_LIMIT_MS,
  });
  if (ping?.kind !== 'answered') throw ping?.error;
  if (capabilities?.kind !== 'answered') throw capabilities?.error;
  session.capabilities = sharedCapabilities(readCapabilities(capabilities.rows[0], session.client));
  session.capabilitiesAt = now;
  noteServer(session, requirements);
  const system = await systemIdentifier(session);
  const { started_at, is_in_recovery, clock } = ping.rows[0] ?? {};
  const sign = { system, started_at: Date.parse(String(started_at)) };
  const key = `${system}/${String(started_at)}`;
  return { key, sign, clock, took_ms: ping.took_ms, is_in_recovery: is_in_recovery === true };
}

function refuseOld(client: TargetClient): void {
  if (client.server_version_num >= OLDEST_VERSION_NUM) return;
  client.destroy();
  const version = cutText(client.server_version, 20);
  const message = `The server runs PostgreSQL ${version}; Matriarch monitors 14 and newer.`;
  throw new TargetError({ step: 'protocol', message, code: 'unsupported_version' });
}

const tookOf = (answer: Answer | undefined) =>
  answer === undefined || answer.kind === 'unreached' ? 0 : answer.server_ms;

/** Reads the capabilities of the session's database anew; keeps the old ones when that fails. Answers the time it took. */
export async function relearn(session: Session, probes: readonly Probe[], now: number): Promise<number> {
  const statements = [capabilitiesOf(probes), ...(session.server ? [READ_SERVER] : [])];
  const [answer, requirements] = await runPipeline(session, statements);
  const took = tookOf(answer) + tookOf(requirements);
  if (answer?.kind !== 'answered') return took;
  session.capabilities = sharedCapabilities(readCapabilities(answer.rows[0], session.client));
  session.capabilitiesAt = now;
  noteServer(session, requirements);
  return took;
}
