// What each probe costs a PostgreSQL 18, by the kernel's account of the session's CPU time: an idle server with nothing
// in it, and one with 300 tables that change. A probe of a server runs over a session that is kept; one of a database
// in a session that was just opened, as on a visit. Probes of the machine cost the server nothing worth telling.
// Run: npm run bench -- probes [--write] (writes server/src/probes/measured-costs.json, then npm run gen)
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { obstacle } from '../collector/outcomes.ts';
import { probeStatement } from '../collector/probe.queries.ts';
import type { Session } from '../collector/session.ts';
import { probes } from '../probes/catalog.gen.ts';
import type { MeasuredCosts } from '../probes/measured-costs.ts';
import { isSqlProbe, type SqlProbe } from '../probes/types.ts';
import { sessionOn } from '../testing/servers/probing.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { print } from './print.ts';
import { ownMs } from './server-cpu.ts';
import { ROLE, startWatched, type WatchedServer } from './watched-server.ts';

const FILE = fileURLToPath(new URL('../probes/measured-costs.json', import.meta.url));
const WARM_RUNS = 20;
const COLD_RUNS = 5;
const LOADED_TABLES = 300;
const DATABASE = 'postgres';

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const open = ({ cluster }: WatchedServer) => sessionOn(cluster, { username: ROLE, password: ROLE }, DATABASE);

/** CPU time of one run; undefined where it cannot run. */
async function once(session: Session, probe: SqlProbe): Promise<number | undefined> {
  const { client, capabilities, database } = session;
  if (obstacle(probe, capabilities, { database, username: ROLE })) return undefined;
  const before = ownMs(client.backend_pid);
  await client.query(probeStatement(probe, capabilities)).catch(() => undefined);
  return ownMs(client.backend_pid) - before;
}

async function warm(server: WatchedServer, probe: SqlProbe): Promise<number | null> {
  const session = await open(server);
  const times: number[] = [];
  for (let n = 0; n <= WARM_RUNS; n += 1) {
    const took = await once(session, probe);
    if (took !== undefined && n > 0) times.push(took);
  }
  await session.client.close();
  return times.length === 0 ? null : median(times);
}

async function cold(server: WatchedServer, probe: SqlProbe): Promise<number | null> {
  const times: number[] = [];
  for (let n = 0; n < COLD_RUNS; n += 1) {
    const session = await open(server);
    const took = await once(session, probe);
    if (took !== undefined) times.push(took);
    await session.client.close();
  }
  return times.length === 0 ? null : median(times);
}

const rounded = (value: number | null) => (value === null ? null : Number(value.toPrecision(3)));

async function measure(directory: string, tables: number): Promise<Map<string, number | null>> {
  const server = await startWatched(directory, { tables });
  const costs = new Map<string, number | null>();
  for (const probe of probes) {
    const of = isSqlProbe(probe) ? await (probe.level === 'S' ? warm : cold)(server, probe) : null;
    costs.set(probe.name, rounded(of));
  }
  await server.stop();
  return costs;
}

const asked = process.argv.slice(2);
const directory = makeRunDirectory();
try {
  const idle = await measure(directory, 0);
  const loaded = await measure(directory, LOADED_TABLES);
  let share = 0;
  print(`milliseconds of CPU for a run: empty server, and ${LOADED_TABLES} tables in each database`);
  const costs: MeasuredCosts = {};
  for (const { name, intervalSeconds } of probes) {
    const [empty = null, full = null] = [idle.get(name), loaded.get(name)];
    costs[name] = { idle_ms: empty, loaded_ms: full };
    share += (full ?? 0) / intervalSeconds / 10;
    print(`  ${name.padEnd(30)} ${String(empty ?? '–').padStart(8)} ${String(full ?? '–').padStart(8)}`);
  }
  print(`  all of them at their intervals, one database: ${share.toFixed(2)} % of a core`);
  if (asked.includes('--write')) writeFileSync(FILE, `${JSON.stringify(costs, null, 2)}\n`);
} finally {
  removeRunDirectory(directory);
}
