// Servers of several sizes in one estate, as the writer and compaction leave them: every probe of the catalog at its interval (what comes
// by the second every ten seconds), texts of statements, and findings. Guards: nothing is put past the store's own writer but what it
// does not write.
import { systemPrincipal } from '../identity/audit/audit.service.ts';
import { evaluateFindings } from '../insight/findings/evaluate.service.ts';
import { dueServers } from '../insight/findings/stored.queries.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { HOUR_MS } from '../kernel/units.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { keyColumns, type Probe } from '../probes/types.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import { ensureTables } from '../store/layout/tables.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { databaseName, rowsOf, type Size } from './reads-rows.ts';

export const STEP_MS = 300_000;
const TICK_MS = 10_000;

export interface ReadsFilling {
  sizes: readonly Size[];
  hours: number;
  /** Milliseconds since the epoch. */
  end: number;
}

async function addServers(db: Database, sizes: readonly Size[]): Promise<void> {
  await db.run(sql`insert into matriarch.users (id, username, is_superuser) values (1, 'owner', true)`);
  for (const [index, { name, statements, databases }] of sizes.entries()) {
    const id = index + 1;
    await db.run(sql`
      insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored, is_shared)
      values (${id}, 1, ${name}, ${`db${id}.example.com`}, 5432, 'shop_0', 'monitor', true, true)`);
    await db.run(sql`
      insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
      values (${id}, 'bench', 1, now() + interval '1 day')`);
    await db.run(sql`
      insert into metrics.queries (connection_id, database_name, queryid, userid, toplevel, query_text)
      select ${id}, 'shop_' || n % ${databases}::integer, (n + 1) * 1000000007::bigint, 10, true,
        'select id, name, price from table_' || n || ' where id = $1 and changed_at > $2 order by price limit 10'
      from generate_series(0, ${statements - 1}::integer) n`);
  }
}

interface Reading extends Size {
  connection_id: number;
  at: number;
  run: number;
  runs: number;
}

function addReading(writer: MetricsWriter, probe: Probe, reading: Reading): void {
  const { connection_id, at, databases } = reading;
  const isOfServer = probe.level === 'S';
  for (let database = 0; database < (isOfServer ? 1 : databases); database += 1) {
    const rows = rowsOf(probe, { ...reading, database });
    const history_by = probe.keeps === 'change-tracked' ? keyColumns(probe) : undefined;
    writer.add({
      ...{ connection_id, epoch: 1, probe: probe.name, attempted_at: at, took_ms: 1 },
      database_name: isOfServer ? '' : databaseName(database),
      server_instance: `s${connection_id}`,
      outcome: { kind: 'ran', collected_at: at, rows, history_by },
    });
  }
}

async function compact(db: Database, now: number): Promise<void> {
  const layouts = catalog.flatMap((probe) => layoutOf(probe) ?? []);
  const report = await runCompaction({ db, layouts, now });
  if (report.problems.length > 0) throw new Error(report.problems.join(' '));
}

/** What these servers do not have is not read every minute in every database. */
const filled = catalog.filter(({ name }) => !name.startsWith('spock_'));

/** Whether a probe runs at the n-th tick; what comes by the second comes by the tick. */
const isDue = ({ intervalSeconds }: Probe, tick: number) =>
  tick % Math.max(1, Math.round((intervalSeconds * 1000) / TICK_MS)) === 0;

/** All tables; one after the other, since a statement has its limit of time. */
const parts = sql`
  select c.oid::regclass::text as part
  from pg_class c
  where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text in ('metrics', 'matriarch')
  order by c.relkind desc, c.oid`;

/** All readings of a step, in the order of time. */
async function addStep(
  writer: MetricsWriter,
  { sizes, ...of }: ReadsFilling & { begin: number; run: number; runs: number },
) {
  const ticks = STEP_MS / TICK_MS;
  for (let tick = 0; tick < ticks; tick += 1) {
    const at = of.begin + of.run * STEP_MS + tick * TICK_MS;
    const due = filled.filter((probe) => isDue(probe, of.run * ticks + tick));
    for (const [index, size] of sizes.entries()) {
      for (const probe of due)
        addReading(writer, probe, { ...size, connection_id: index + 1, at, run: of.run, runs: of.runs });
      if (tick === 0) await writer.flush();
    }
  }
}

/** The whole estate; hours are packed as they are while the product runs. */
export async function fillReads(db: Database, of: ReadsFilling): Promise<void> {
  await addServers(db, of.sizes);
  await ensureTables(db, catalog);
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes: catalog });
  const runs = (of.hours * HOUR_MS) / STEP_MS;
  const begin = of.end - runs * STEP_MS;
  for (let run = 0; run < runs; run += 1) {
    await addStep(writer, { ...of, begin, run, runs });
    await writer.flush();
    const at = begin + (run + 1) * STEP_MS;
    if (at % HOUR_MS === 0) await compact(db, at);
  }
  await writer.stop();
  await compact(db, of.end);
  for (const { part } of await db.rows<{ part: string }>(parts))
    await db.run({ text: `/* bench.vacuum */ vacuum (analyze) ${part}`, values: [] });
}

/** What checks find of it, as one round of them leaves it. */
export async function findAll(db: Database): Promise<void> {
  const principal = systemPrincipal('server');
  const { signal } = new AbortController();
  const ctx = { db, log: silentLog, clock: systemClock, signal, principal };
  const servers = await dueServers(db, { seconds: 600, young_seconds: 30, most: 50 });
  await evaluateFindings(ctx, { servers });
}
