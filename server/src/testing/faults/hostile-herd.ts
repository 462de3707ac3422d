// What hostile servers cost everybody else (F27): ten healthy connections with a sample every second and an API under load,
// in one process, first alone, then beside thirty servers that send rows without end. Measured: memory, the longest pause
// between two samples of a healthy server (as that server's log tells), and the API's times.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../../datastore/migrate.ts';
import { sleep, systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { makeToken } from '../access/actors.ts';
import { type Child, startChild } from '../child.ts';
import { collecting } from '../collecting.ts';
import { load } from '../load.ts';
import { startIn, type TestCluster } from '../servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../servers/run-directory.ts';

const HEALTHY = 10;
const HOSTILE = 30;
const PROBE = 'probe.pg_active_sessions';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

interface Program {
  url: string;
  child: Child;
}

/** The program, whole but for its own datastore. */
async function startProgram(url: string, keyFile: string, home: string): Promise<Program> {
  const child = startChild({
    script: here('../../main.mjs'),
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

export interface HostileFigures {
  /** Megabytes of the program, at most. */
  peak: number;
  /** Between two samples of a healthy server, in milliseconds. */
  pause: number;
  samples: number;
  /** Of the API, in milliseconds. */
  p50: number;
  p99: number;
}

interface Measuring {
  program: Program;
  servers: readonly TestCluster[];
  token: string;
  seconds: number;
}

async function measure({ program, servers, token, seconds }: Measuring): Promise<HostileFigures> {
  const from = systemClock.now();
  const asking = load({
    origin: program.url,
    paths: ['/api/v1/connections', '/api/v1/estate'],
    headers: { authorization: `Bearer ${token}` },
    requests: Number.POSITIVE_INFINITY,
    connections: 2,
    seconds,
  });
  const { peak, result } = await peakMb(program.child, asking);
  const { longest, samples } = longestPause(servers, from);
  return { peak, pause: longest, samples, p50: result.p50_ms, p99: result.p99_ms };
}

const headersOf = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});

async function testAtOnce(program: Program, ports: readonly number[], token: string): Promise<Took> {
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
  return { seconds: (systemClock.monotonic() - began) / 1000, peak };
}

/** Seconds. */
async function deleteAll({ url }: Program, ids: readonly number[], token: string): Promise<number> {
  const began = systemClock.monotonic();
  for (const id of ids)
    await fetch(`${url}/api/v1/connections/${id}`, { method: 'DELETE', headers: headersOf(token) });
  return (systemClock.monotonic() - began) / 1000;
}

/** A session that is always active, so that the samples keep their second. */
async function keepBusy(server: TestCluster): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  client.query('select pg_sleep(3600)').catch(() => undefined);
  return client;
}

interface Took {
  seconds: number;
  peak: number;
}

export interface HostileHerd {
  alone: HostileFigures;
  beside: HostileFigures;
  /** Connections that the hostile servers took, and bytes that they sent. */
  connections: number;
  sent: number;
  /** What the product says of one of them. */
  said: string | null | undefined;
  /** Tests of all hostile servers at once. */
  tests: Took;
  deleting_seconds: number;
}

/** `mode` is one of HOSTILITIES; each of the two measurements takes `seconds`. */
export async function hostileHerd({
  seconds,
  mode,
}: {
  seconds: number;
  mode: string;
}): Promise<HostileHerd> {
  const directory = makeRunDirectory();
  try {
    await using datastore = await startIn(directory, { major: 18, settings: { shared_buffers: '64MB' } });
    const url = new Secret(datastore.url);
    await migrate(url, silentLog);
    const logging = { log_statement: 'all', log_line_prefix: '%n %p ' };
    const servers = await Promise.all([1, 2].map(() => startIn(directory, { major: 18, settings: logging })));
    const busy = await Promise.all(servers.map(keepBusy));
    const house = await collecting(url);
    for (let n = 0; n < HEALTHY; n += 1) await house.connect(servers[n % servers.length] ?? datastore);
    await house.db.run(
      sql`/* hostile.superuser */ update matriarch.users set is_superuser = true where id = 1`,
    );
    const token = await makeToken(house.db, 1);
    const program = await startProgram(datastore.url, house.keyFile, directory);
    await sleep(10_000);
    const alone = await measure({ program, servers, token, seconds });
    await using others = startChild({ script: here('hostile-servers.ts'), args: [String(HOSTILE), mode] });
    const ports: number[] = JSON.parse((await others.line()) ?? '[]');
    const ids: number[] = [];
    for (const port of ports)
      ids.push(await house.connect({ host: '127.0.0.1', port, superuser: 'monitor', password: 'x' }));
    const beside = await measure({ program, servers, token, seconds });
    others.process.stdin?.write('\n');
    const { sent, connections } = JSON.parse((await others.line()) ?? '{}');
    const said = (await house.state(ids[0] ?? 0))?.connection_error;
    const tests = await testAtOnce(program, ports, token);
    const deleting_seconds = await deleteAll(program, ids, token);
    await program.child.kill('SIGTERM');
    for (const client of busy) await client.end();
    await house.stop();
    await Promise.all(servers.map((server) => server.stop()));
    return { alone, beside, connections, sent, said, tests, deleting_seconds };
  } finally {
    removeRunDirectory(directory);
  }
}
