// Trying a server without saving anything: one result for each step, in words for whoever typed the connection in.
// Guards: it ends within 12 s whatever the server does, and what the server says reaches nobody.

import { nameFromServer } from '../../kernel/clean-name.ts';
import { systemClock } from '../../kernel/clock.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { tlsPlan } from '../../kernel/server-address/ssl-mode.ts';
import {
  openTarget,
  type ReplyLimits,
  type StepDone,
  type TargetClient,
  TargetError,
} from '../../monitored/connect.ts';
import type { Lookup } from '../../monitored/lookup.ts';
import { poolerWords } from '../../monitored/own-session.ts';
import { ROLE } from '../../monitored/read-only-sql/role.queries.ts';
import { type RolePowers, rolePowers } from '../../monitored/read-only-sql/role.ts';
import {
  READ_REQUIREMENTS,
  REQUIREMENTS_REPLY,
  readServer,
  type ServerReading,
} from '../../probes/requirements/reading.queries.ts';
import { MEASURE_RIGHTS } from './connection-test.queries.ts';
import type { TEST_STEPS } from './connections.schemas.ts';
import { LOG_SOURCE_REPLY, READ_LOG_SOURCE } from './log-source.queries.ts';
import { judgeLogSource, type LogsFound, type LogVerdict, logsFound, readLogSource } from './log-source.ts';
import { monitoringScript, toolsScript } from './monitoring-script.ts';
import type { ServerSettings } from './targets.service.ts';
import { readClusterName, readRights } from './test-rows.ts';
import { extensionWords, type Rights, rightsWords, type Verdict, versionWords } from './test-words.ts';

export type TestStep = (typeof TEST_STEPS)[number];

export interface StepResult {
  step: TestStep;
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  took_ms: number;
}

export interface TestReport {
  success: boolean;
  steps: StepResult[];
  server_version: string | null;
  /** As the server calls itself. */
  cluster_name: string | null;
  monitoring_script: string;
  /** What the role may do beyond reading, where it could be measured. */
  role?: RolePowers;
  tools_script?: string;
  logs?: LogsFound;
}

const TOTAL_MS = 11_000;
const CONNECT_MS = 6000;
const STATEMENT_MS = 2000;
const MAX_REPLY_BYTES = 4 * 1024 * 1024;
/** One row, which lists databases. */
const RIGHTS_REPLY: ReplyLimits = { columns: 8, rows: 1, bytes: 2 * 1024 * 1024 };
const SAFE_ROLE = 'matriarch_monitor';

export interface TestOptions {
  signal: AbortSignal;
  lookup?: Lookup | undefined;
}

class Results {
  readonly #steps = new Map<TestStep, StepResult>();

  set(step: TestStep, verdict: Verdict, tookMs: number): void {
    this.#steps.set(step, { step, ...verdict, took_ms: Math.round(tookMs) });
  }

  /** What was found out about a step that succeeded. */
  warn(step: TestStep, words: string): void {
    const known = this.#steps.get(step);
    if (!known) return;
    this.#steps.set(step, { ...known, status: 'warning', message: `${known.message} ${words}` });
  }

  has(step: TestStep): boolean {
    return this.#steps.has(step);
  }

  /** Every step in order; those that were never reached say so. */
  all(steps: readonly TestStep[]): StepResult[] {
    return steps.map(
      (step) =>
        this.#steps.get(step) ?? {
          step,
          status: 'skipped',
          message: 'Not tried, because an earlier step failed.',
          took_ms: 0,
        },
    );
  }
}

function resolved({ host, hostaddr }: ServerSettings, addresses: readonly string[]): Verdict {
  const list = addresses.join(', ');
  if (hostaddr !== undefined)
    return { status: 'ok', message: `hostaddr ${hostaddr} is used; ${host} is not resolved.` };
  return { status: 'ok', message: addresses[0] === host ? `${host} is an address.` : `${host} is ${list}.` };
}

const isLoopback = (address: string) => address.startsWith('127.') || address === '::1';

function encryption(settings: ServerSettings, done: StepDone, address: string): Verdict {
  if (!done.tls) {
    if (isLoopback(address))
      return { status: 'ok', message: 'Not encrypted, and it does not leave this machine.' };
    const message =
      'Not encrypted: passwords and data can be read on the way. Use ssl_mode require or stricter.';
    return { status: 'warning', message };
  }
  const plan = tlsPlan(settings.ssl_mode, settings.ssl_root_cert_path !== undefined);
  const trusted = plan.authorities === 'system' ? "the system's authorities" : 'the root certificate';
  if (plan.verify === 'nothing') {
    const message = 'Encrypted. Who the server is was not verified: use verify-full against impostors.';
    return { status: 'ok', message };
  }
  const name = plan.verify === 'authority_and_host' ? ' and its host name' : '';
  return { status: 'ok', message: `Encrypted. The server's certificate was verified by ${trusted}${name}.` };
}

/** Turns the connector's news into results; `allow` and `prefer` may report a step twice, the last one counts. */
function listen(settings: ServerSettings, results: Results): (done: StepDone) => void {
  let address = '';
  return (done) => {
    const [first = ''] = done.addresses ?? [];
    if (done.step === 'resolve')
      results.set('resolve', resolved(settings, done.addresses ?? []), done.took_ms);
    if (done.step === 'connect') {
      address = first;
      results.set(
        'connect',
        { status: 'ok', message: `${first} port ${settings.port} answers.` },
        done.took_ms,
      );
    }
    if (done.step === 'tls') results.set('tls', encryption(settings, done, address), done.took_ms);
    if (done.step === 'sign_in') {
      const message = `Signed in as ${settings.username} to the database ${settings.database}.`;
      results.set('sign_in', { status: 'ok', message }, done.took_ms);
    }
  };
}

/** Which step a failure belongs to: the one it names, or the first that has not succeeded. */
function failedStep(error: TargetError, results: Results): TestStep {
  if (error.step === 'resolve' || error.step === 'connect' || error.step === 'tls') return error.step;
  if (error.step === 'sign_in' || error.step === 'database' || error.step === 'permission') return 'sign_in';
  const order = ['resolve', 'connect', 'tls', 'sign_in'] as const;
  return order.find((step) => !results.has(step)) ?? 'sign_in';
}

async function timed(results: Results, step: TestStep, work: () => Promise<Verdict>): Promise<void> {
  const started = systemClock.monotonic();
  let verdict: Verdict;
  try {
    verdict = await work();
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    verdict = { status: 'failed', message: error.message };
  }
  results.set(step, verdict, systemClock.monotonic() - started);
}

interface TestReadings {
  rights: Rights | undefined;
  role: RolePowers | undefined;
  server: ServerReading | undefined;
  cluster_name: string | null;
  logs: LogVerdict | undefined;
}

async function measure(
  client: TargetClient,
  results: Results,
  wanted: ServerSettings,
): Promise<TestReadings> {
  const measured: TestReadings = {
    rights: undefined,
    role: undefined,
    server: undefined,
    cluster_name: null,
    logs: undefined,
  };
  const version = versionWords(client);
  results.set('version', version, 0);
  if (version.status === 'failed') return measured;
  await timed(results, 'rights', async () => {
    const [[rights], [server], [role], [logs]] = await Promise.all([
      client.query(MEASURE_RIGHTS, [], RIGHTS_REPLY),
      client.query(READ_REQUIREMENTS, [], REQUIREMENTS_REPLY),
      client.query(ROLE, [], RIGHTS_REPLY),
      client.query(READ_LOG_SOURCE, [], LOG_SOURCE_REPLY),
    ]);
    measured.rights = readRights(rights);
    measured.role = shownRole(role);
    measured.cluster_name = readClusterName(rights);
    measured.server = readServer(server);
    const source = readLogSource(logs);
    measured.logs = source && judgeLogSource(source, wanted.username);
    return rightsWords(measured.rights, { ...wanted, server: measured.server });
  });
  const { server } = measured;
  if (server) results.set('extensions', extensionWords({ ...wanted, server }), 0);
  return measured;
}

async function tryServer(settings: ServerSettings, results: Results, options: TestOptions) {
  const { lookup, signal } = options;
  const client = await openTarget(
    {
      ...settings,
      application_name: 'matriarch test',
      connect_timeout_ms: CONNECT_MS,
      statement_timeout_ms: STATEMENT_MS,
      max_socket_bytes: MAX_REPLY_BYTES,
      session: { default_transaction_read_only: 'on', client_encoding: 'SQL_ASCII' },
    },
    { signal, lookup, onStep: listen(settings, results) },
  );
  const abort = () => client.destroy();
  signal.addEventListener('abort', abort, { once: true });
  if (client.way === 'pooled') results.warn('sign_in', poolerWords(settings));
  try {
    return { client, ...(await measure(client, results, settings)) };
  } finally {
    signal.removeEventListener('abort', abort);
    await client.close();
  }
}

/** Names come from a server. */
function shownRole(row: Record<string, unknown> | undefined): RolePowers {
  const role = rolePowers(row);
  const memberships = role.memberships.flatMap((name) => nameFromServer(name) ?? []);
  return { ...role, name: nameFromServer(role.name) ?? '', memberships };
}

function scriptFor(
  settings: ServerSettings,
  found: { client?: TargetClient } & Partial<TestReadings>,
): string {
  const isTooMuch = found.server?.is_superuser === true || settings.username === 'postgres';
  return monitoringScript({
    role: isTooMuch ? SAFE_ROLE : settings.username,
    database: settings.database,
    databases: found.rights?.closed_databases ?? [],
    server_version_num: found.client?.server_version_num,
  });
}

/** Tries a server step by step. Never rejects for anything the server did. */
export async function testTarget(
  settings: ServerSettings,
  steps: readonly TestStep[],
  options: TestOptions,
): Promise<TestReport> {
  const results = new Results();
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TOTAL_MS)]);
  let found: { client?: TargetClient } & Partial<TestReadings> = {};
  try {
    found = await tryServer(settings, results, { ...options, signal });
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const version = error.code === 'unsupported_version';
    results.set(
      version ? 'version' : failedStep(error, results),
      { status: 'failed', message: error.message },
      0,
    );
  }
  const all = results.all(steps);
  return {
    success: all.every(({ status }) => status === 'ok' || status === 'warning'),
    steps: all,
    server_version: found.client ? cutText(found.client.server_version, 100) : null,
    cluster_name: found.cluster_name ?? null,
    monitoring_script: scriptFor(settings, found),
    ...(found.role && { role: found.role, tools_script: toolsScript(settings.database) }),
    ...(found.logs && { logs: logsFound(found.logs) }),
  };
}
