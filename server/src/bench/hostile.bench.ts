// What hostile servers cost everybody else: ten healthy connections with a sample every second and an API under load, in
// one process, first alone, then beside thirty servers that send rows without end. Prints memory, the longest pause
// between two samples of a healthy server (as that server's log tells), the API's times, what the hostile ones sent,
// how long deleting them takes, and thirty tests of such connections at once. Judges nothing.
// Run: npm run bench -- hostile [seconds] [mode]
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../datastore/migrate.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { makeToken } from '../testing/access/actors.ts';
import { type Child, startChild } from '../testing/child.ts';
import { collecting } from '../testing/collecting.ts';
import { startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { load } from './load.ts';

const HEALTHY = 10;
const HOSTILE = 30;
const PROBE = 'probe.pg_active_sessions';
const [seconds = '30', mode = 'rows of 1,600 tiny columns without end'] = process.argv.slice(2);
const SECONDS = Number(seconds);

const print = (line: string) => process.stdout.write(`${line}\n`);
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** The program, whole but for its own datastore. */
async function startProgram(url: string, keyFile: string, home: string) {
  const child = startChild({
    script: here('../main.ts'),
    args: [
      ...['start', '--roles', 'api,collector', '--port', '0', '--datastore-url', url],
      ...['--data-dir', path.join(home, 'data'), '--secret-key-file', keyFile, '--log-level', 'silent'],
      // On a busy machine samples would be slowed for what they cost, and not for the hostile servers.
      ...['--collector-budget-percent', '100'],
    ],
  });
  for (let line = await child.line(); line !== null; line = await child.line()) {
    const ready = /ready: (http:\S+)/.exec(line)?.[1];
    if (ready) return { url: ready, child };
  }
  throw new Error(`did not start: ${child.errors()}`);
}

function rssMb({ pid }: Child): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}

/** The most memory that the program takes until `work` is done. */
async function peakMb<T>(child: Child, work: Promise<T>): Promise<{ peak: number; result: T }> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, rssMb(child));
  }, 100);
  const result = await work;
  clearInterval(timer);
  return { peak, result };
}

/** The longest time between two samples of one session since `from`, as the servers' logs tell, in milliseconds. */
function longestPause(servers: readonly TestCluster[], from: number): { longest: number; samples: number } {
  let [longest, samples] = [0, 0];
  const until = systemClock.now();
  for (const { logFile } of servers) {
    const times = new Map<string, number>();
    for (const line of readFileSync(logFile, 'utf8').split('\n')) {
      const [, at = '', pid = ''] = /^(\d+\.\d+) (\d+) /.exec(line) ?? [];
      const now = Number(at) * 1000;
      if (!line.includes(PROBE) || now < from) continue;
      longest = Math.max(longest, now - (times.get(pid) ?? from));
      times.set(pid, now);
      samples += 1;
    }
    for (const last of times.values()) longest = Math.max(longest, until - last);
  }
  return { longest, samples };
}

interface Figures {
  peak: number;
  pause: number;
  p50: number;
  p99: number;
}

async function measure(
  program: { url: string; child: Child },
  servers: readonly TestCluster[],
  token: string,
): Promise<Figures> {
  const from = systemClock.now();
  const asking = load({
    origin: program.url,
    paths: ['/api/v1/connections', '/api/v1/estate'],
    headers: { authorization: `Bearer ${token}` },
    requests: Number.POSITIVE_INFINITY,
    connections: 2,
    seconds: SECONDS,
  });
  const { peak, result } = await peakMb(program.child, asking);
  const { longest, samples } = longestPause(servers, from);
  print(`  memory, at most            ${peak.toFixed(0)} MB`);
  print(
    `  longest pause of a sample  ${(longest / 1000).toFixed(2)} s (${samples} samples, one a second wanted)`,
  );
  print(
    `  API                        p50 ${result.p50_ms.toFixed(1)} ms, p99 ${result.p99_ms.toFixed(1)} ms`,
  );
  return { peak, pause: longest, p50: result.p50_ms, p99: result.p99_ms };
}

const headersOf = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});

async function testAtOnce(program: { url: string; child: Child }, ports: readonly number[], token: string) {
  const began = systemClock.monotonic();
  const tests = ports.map((port) =>
    fetch(`${program.url}/api/v1/connections/test`, {
      method: 'POST',
      headers: headersOf(token),
      body: JSON.stringify({
        ...{ host: '127.0.0.1', port, database_name: 'postgres', username: 'monitor' },
        ...{ password: 'x', ssl_mode: 'disable' },
      }),
    }).then((response) => response.text()),
  );
  const { peak } = await peakMb(program.child, Promise.all(tests));
  const took = (systemClock.monotonic() - began) / 1000;
  print(
    `\n${ports.length} tests of hostile servers at once: ${took.toFixed(1)} s, memory at most ${peak.toFixed(0)} MB`,
  );
}

async function deleteAll(program: { url: string }, ids: readonly number[], token: string): Promise<void> {
  const began = systemClock.monotonic();
  for (const id of ids)
    await fetch(`${program.url}/api/v1/connections/${id}`, { method: 'DELETE', headers: headersOf(token) });
  print(`deleting ${ids.length} of them: ${((systemClock.monotonic() - began) / 1000).toFixed(1)} s`);
}

/** A session that is always active, so that the samples keep their second. */
async function keepBusy(server: TestCluster): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  client.query('select pg_sleep(3600)').catch(() => undefined);
  return client;
}

const directory = makeRunDirectory();
try {
  await using datastore = await startIn(directory, { major: 18, settings: { shared_buffers: '64MB' } });
  const url = new Secret(datastore.url);
  await migrate(url, silentLog);
  const logging = { log_statement: 'all', log_line_prefix: '%n %p ' };
  const real = await Promise.all([1, 2].map(() => startIn(directory, { major: 18, settings: logging })));
  const busy = await Promise.all(real.map(keepBusy));
  const house = await collecting(url);
  for (let n = 0; n < HEALTHY; n += 1) await house.connect(real[n % real.length] ?? datastore);
  await house.db.run(sql`/* bench.superuser */ update matriarch.users set is_superuser = true where id = 1`);
  const token = await makeToken(house.db, 1);
  const program = await startProgram(datastore.url, house.keyFile, directory);
  await sleep(10_000);

  print(`${HEALTHY} healthy connections, ${SECONDS} s`);
  const alone = await measure(program, real, token);

  await using others = startChild({ script: here('hostile-servers.ts'), args: [String(HOSTILE), mode] });
  const ports: number[] = JSON.parse((await others.line()) ?? '[]');
  const ids: number[] = [];
  print(`\nbeside ${HOSTILE} hostile ones (${mode}), ${SECONDS} s`);
  for (const port of ports)
    ids.push(await house.connect({ host: '127.0.0.1', port, superuser: 'monitor', password: 'x' }));
  const beside = await measure(program, real, token);
  others.process.stdin?.write('\n');
  const { sent, connections } = JSON.parse((await others.line()) ?? '{}');
  print(`  hostile servers            ${connections} connections, ${(sent / 1048576).toFixed(1)} MB sent`);
  const state = await house.state(ids[0] ?? 0);
  print(`  said of one                ${state?.connection_error ?? 'nothing'}`);
  print(
    `\nmore than alone: memory ${(beside.peak - alone.peak).toFixed(0)} MB, ` +
      `pause ${((beside.pause - alone.pause) / 1000).toFixed(2)} s, p99 × ${(beside.p99 / alone.p99).toFixed(2)}`,
  );
  await testAtOnce(program, ports, token);
  await deleteAll(program, ids, token);
  await program.child.kill('SIGTERM');
  for (const client of busy) await client.end();
  await house.stop();
  await Promise.all(real.map((server) => server.stop()));
} finally {
  removeRunDirectory(directory);
}
