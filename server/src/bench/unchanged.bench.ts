// What a reading of objects costs the collector of which few have changed: tables, indexes and statements of a server, asked,
// decoded and compared, as the driver makes rows of them and as they come over the wire, A B A B in one process. Prints
// processor time a reading, judges nothing. Run: npm run bench -- unchanged [tables …]

import process from 'node:process';
import { judge } from '../collector/outcomes.ts';
import { runPipeline } from '../collector/pipeline.ts';
import { probeReply, probeStatement } from '../collector/probe.queries.ts';
import { learn, openSession, type Session } from '../collector/session.ts';
import { systemClock } from '../kernel/clock.ts';
import { Secret } from '../kernel/secret.ts';
import { HOUR_MS } from '../kernel/units.ts';
import { probes } from '../probes/catalog.gen.ts';
import { isSqlProbe, type SqlProbe } from '../probes/types.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import type { Digests } from '../store/layout/types.ts';
import { SampleQueue } from '../store/write/samples/sample-queue.ts';
import { startIn } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { print } from './print.ts';

const READ = ['pg_stat_all_tables', 'pg_stat_all_indexes', 'pg_stat_statements'];
const READINGS = 30;
const ROUNDS = 2;
const CHANGED = 4;

const ownMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
const read = probes.filter(isSqlProbe).filter(({ name }) => READ.includes(name));

/** One side: what it remembers of the reading before. */
class Side {
  readonly #isRaw: boolean;
  readonly #queue = new SampleQueue(64 * 1024 * 1024, () => undefined);
  readonly #known = new Map<string, Digests | undefined>();
  rows = 0;

  constructor(isRaw: boolean) {
    this.#isRaw = isRaw;
  }

  /** `at`: close enough to the one before that none is a keyframe. */
  async reading(session: Session, at: number): Promise<void> {
    for (const probe of read) await this.#one(session, probe, at);
    this.#queue.take({ maxRuns: 100, maxBytes: Number.POSITIVE_INFINITY });
  }

  async #one(session: Session, probe: SqlProbe, at: number): Promise<void> {
    const { capabilities, database } = session;
    const how = { ...probeReply(probe), isRepeated: true, isRaw: this.#isRaw };
    const text = probeStatement(probe, capabilities);
    const [answer] = await runPipeline(session, [{ text, how }]);
    const layout = layoutOf(probe);
    if (!answer || !layout) throw new Error(`${probe.name} was not read`);
    const where = { database, username: '', server: undefined };
    const { outcome } = await judge(probe, answer, {
      ...where,
      attempted_at: at,
      known: this.#known.get(probe.name),
    });
    if (outcome?.kind !== 'ran') throw new Error(`${probe.name}: ${outcome?.reason ?? 'not reached'}`);
    this.#known.set(probe.name, outcome.digests);
    this.rows += outcome.rows.length;
    const run = { connection_id: 1, epoch: 1, probe: probe.name, database_name: database, took_ms: 1 };
    this.#queue.add(layout, { ...run, attempted_at: at, outcome: { ...outcome, collected_at: at } });
  }
}

async function measure(directory: string, tables: number): Promise<void> {
  await using cluster = await startIn(directory, { major: 18, settings: { shared_buffers: '64MB' } });
  await cluster.query('create extension pg_stat_statements');
  await cluster.query(`do $$ begin for n in 1..${tables} loop
    execute format('create table t_%s (id bigserial primary key, a integer)', n); end loop; end $$`);
  const settings = {
    host: cluster.host,
    port: cluster.port,
    database: 'postgres',
    username: cluster.superuser,
    password: new Secret(cluster.password),
    ssl_mode: 'prefer' as const,
    connect_timeout_ms: 5000,
    statement_timeout_ms: 30_000,
    allow_private_networks: true,
    application_name: 'bench',
  };
  const target = { connection_id: 0, revision: 0, node_exporter_url: null, settings };
  const signal = new AbortController().signal;
  const session = await openSession({ target, database: 'postgres', connectTimeoutMs: 5000, signal });
  session.isKept = true;
  await learn(session, read, systemClock.monotonic());
  const sides = [new Side(false), new Side(true)];
  const took = [0, 0];
  const start = systemClock.now() - HOUR_MS;
  let count = 0;
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [index, side] of sides.entries()) {
      side.rows = 0;
      for (let n = 0; n < READINGS; n += 1) {
        count += 1;
        for (let t = 1; t <= CHANGED; t += 1) await cluster.query(`insert into t_${t} (a) values (1)`);
        const cpu = process.cpuUsage();
        await side.reading(session, start + count);
        if (round > 0) took[index] = (took[index] ?? 0) + ownMs(process.cpuUsage(cpu));
      }
    }
  await session.client.close();
  const a = (index: number) => ((took[index] ?? 0) / READINGS / ROUNDS).toFixed(2);
  print(
    `  ${tables} tables, ${sides[0]?.rows ?? 0} rows in ${READINGS} readings: ${a(0)} ms a reading by the driver, ${a(1)} ms raw`,
  );
}

const sizes = process.argv.slice(2).map(Number).filter(Number.isInteger);
const directory = makeRunDirectory();
try {
  for (const tables of sizes.length > 0 ? sizes : [75, 300]) await measure(directory, tables);
} finally {
  removeRunDirectory(directory);
}
