// Every way of being hostile against both ways in which the product speaks to a monitored server: trying a connection,
// and the collector's session. Each ends with a clear error of that connection, costs few bytes, and leaves no socket.
// The ways that a session alone meets are in monitored/hostile.kit.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from '../../collector/outcomes.ts';
import { type Answer, runPipeline } from '../../collector/pipeline.ts';
import { probeReply } from '../../collector/probe.queries.ts';
import { learn, openSession } from '../../collector/session.ts';
import { type TestReport, testTarget } from '../../estate/connections/connection-test.ts';
import { TEST_STEPS } from '../../estate/connections/connections.schemas.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Secret } from '../../kernel/secret.ts';
import { TargetError } from '../../monitored/connect.ts';
import { replyBudget } from '../../monitored/reply-budget.ts';
import { defineProbe } from '../../probes/types.ts';
import { HOSTILITIES, type Hostility, SAID } from './hostile-modes.ts';
import { type HostileServer, startHostile } from './hostile-server.ts';

const CANARY = 'canary-of-the-hostile-kit';
/** So many at the same moment. */
const AT_ONCE = 48;
/** Longer than a busy machine takes for all of them. */
const PATIENT_MS = 120_000;
const MB = 1024 * 1024;
/** What the kernel takes off a server's hands before we read it, for each of its few connections. */
const IN_THE_KERNEL = 16 * MB;

const probe = defineProbe({
  name: 'pg_hostile',
  description: 'What a hostile server is asked.',
  level: 'S',
  intervalSeconds: 60,
  retentionDays: 1,
  keeps: 'snapshot',
  columns: [{ name: 'value', type: 'integer', kind: 'gauge', unit: 'count', description: 'Anything.' }],
  caps: { maxRows: 100, maxBytes: 256 * 1024 },
  sql: () => 'select 1 as value',
});

function settingsOf(port: number, mode: Hostility) {
  return {
    host: '127.0.0.1',
    port,
    database: 'postgres',
    username: 'monitor',
    password: new Secret(CANARY),
    ssl_mode: mode.at === 'tls' ? 'require' : 'disable',
    allow_private_networks: true,
  } as const;
}

/** Those that say nothing are waited for only so long; on a busy machine the others need their time. */
const patienceMs = ({ says = '' }: Hostility) => (/timeout|no_answer/.test(says) ? 2000 : PATIENT_MS);

interface Collected {
  error?: TargetError;
  answer?: Answer;
}

/** As the collector does it: opens a session, asks what the server is, and runs a probe. */
async function collect(port: number, mode: Hostility): Promise<Collected> {
  const settings = settingsOf(port, mode);
  const target = { connection_id: 1, revision: 1, node_exporter_url: null, settings };
  const { signal } = new AbortController();
  // Those that are hostile in an answer let everybody sign in.
  const connectTimeoutMs = mode.at === 'answer' ? PATIENT_MS : patienceMs(mode);
  const options = { target, database: 'postgres', connectTimeoutMs, signal };
  try {
    const session = await openSession(options);
    try {
      await learn(session, [probe], systemClock.monotonic());
      const text = '/* probe.pg_hostile */ select';
      const [answer] = await runPipeline(session, [{ text, how: probeReply(probe) }], {
        firstWithinMs: patienceMs(mode),
      });
      if (!answer) return {};
      if (answer.kind !== 'answered') return { answer, error: answer.error };
      // What was answered well is an answer; what followed ends the session.
      if (mode.says !== undefined)
        return { answer, error: await new Promise<TargetError>((lost) => session.client.onLost(lost)) };
      return { answer };
    } finally {
      session.client.destroy();
    }
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    return { error };
  }
}

interface Done {
  server: HostileServer;
  collected: Collected;
  report: TestReport;
}

const done = new Map<Hostility, Done>();
let peak = 0;

async function run(mode: Hostility): Promise<void> {
  const server = await startHostile(mode);
  const [collected, report] = await Promise.all([
    collect(server.port, mode),
    testTarget(settingsOf(server.port, mode), TEST_STEPS, { signal: new AbortController().signal }),
  ]);
  done.set(mode, { server, collected, report });
}

beforeAll(async () => {
  replyBudget.takePeak();
  const waiting = [...HOSTILITIES];
  const runner = async () => {
    for (let mode = waiting.shift(); mode; mode = waiting.shift()) await run(mode);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
  peak = replyBudget.takePeak();
});
afterAll(async () => {
  for (const { server } of done.values()) await server.stop();
});

const stateOf = (mode: Hostility) => done.get(mode) ?? expect.fail('it has not run');

describe.each(HOSTILITIES.map((mode) => [`${mode.at}: ${mode.name}`, mode] as const))('%s', (_, mode) => {
  it('ends for the collector with its reason', async () => {
    const { collected } = stateOf(mode);
    if (mode.says !== undefined) {
      expect(collected.error?.code).toBe(mode.says);
      expect(collected.error?.message).toMatch(/^[A-Z0-9].*\.$/);
      expect(collected.error?.message).not.toMatch(new RegExp(`${CANARY}|${SAID}`));
      return;
    }
    const { answer = expect.fail('no answer') } = collected;
    const at = { attempted_at: 0, database: 'postgres', username: 'monitor' };
    const { outcome } = await judge(probe, answer, at);
    const isEmpty = answer.kind === 'answered' && answer.rows.length === 0;
    expect(outcome?.kind).toBe(isEmpty ? 'ran' : 'failed');
    expect(Object.prototype).not.toHaveProperty('admin');
  });

  it('ends for a test of the connection with its reason', () => {
    const { report } = stateOf(mode);
    const failed = report.steps.filter(({ status }) => status === 'failed');
    if (mode.says !== undefined) {
      expect(failed.length).toBeGreaterThan(0);
      expect(report.success).toBe(false);
    }
    for (const { message } of failed) expect(message).toMatch(/^[A-Z0-9].*\.$/s);
    expect(JSON.stringify(report)).not.toMatch(new RegExp(`${CANARY}|${SAID}`));
  });

  it('costs few bytes, and leaves no socket', async () => {
    const { server } = stateOf(mode);
    await expect.poll(() => server.open, { timeout: 90_000 }).toBe(0);
    expect(server.sent).toBeLessThan(server.connections * IN_THE_KERNEL);
    expect(server.connections).toBeLessThanOrEqual(4);
  });
});

it('dozens of them at the same moment held no more than the budget, and hold nothing now', async () => {
  expect(HOSTILITIES.length).toBeGreaterThanOrEqual(60);
  await expect.poll(() => replyBudget.held).toBe(0);
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(40 * MB);
});
