// Detection over many stored servers in clusters of five (a primary, three standbys, one subscriber): what a round costs
// when nothing changed, when every server was read again, and at failovers. Prints figures, judges nothing.
// Run: npm run bench -- topology [count …]

import { migrate } from '../datastore/migrate.ts';
import { detect } from '../estate/topology/detect.ts';
import { factsOf } from '../estate/topology/facts.ts';
import * as queries from '../estate/topology/topology.queries.ts';
import { detectIfDue } from '../estate/topology/topology.service.ts';
import { NO_MEMORY } from '../estate/topology/types.ts';
import { systemClock } from '../kernel/clock.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { makeUser } from '../testing/access/actors.ts';
import { startIn, type TestCluster } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { print } from './print.ts';
import { storeServers } from './stored-servers.ts';

const COUNTS = [100, 1000];
const ROUNDS = 20;
const FAILOVERS = 10;
const SIZE = 5;

async function newDatabase(cluster: TestCluster, name: string): Promise<Secret> {
  await cluster.query(`create database ${name}`);
  const url = new URL(cluster.url);
  url.pathname = `/${name}`;
  const secret = new Secret(url.toString());
  await migrate(secret, silentLog);
  return secret;
}

/** Connection n is at db<n>.example.com:5432, member n mod 5 of cluster n / 5; `shift` says which of them leads. */
async function tell(db: Database, of: { from: number; to: number; shift: number }): Promise<void> {
  const rows = Array.from({ length: of.to - of.from + 1 }, (_, index) => {
    const id = of.from + index;
    const base = Math.floor((id - 1) / SIZE) * SIZE + 1;
    const leader = base + of.shift;
    const isSubscriber = id === base + SIZE - 1;
    const isStandby = !isSubscriber && id !== leader;
    const standbys = Array.from({ length: SIZE - 2 }, (_one, n) => ({
      application_name: `standby ${n}`,
      client_addr: '10.1.2.3',
      slot_name: `standby_${n}`,
      state: 'streaming',
      sync_state: 'async',
    }));
    const role = {
      is_in_recovery: isStandby,
      timeline_id: 1 + of.shift,
      postmaster_start_time: `2026-01-01T00:00:00.${id}Z`,
      upstream_host: isStandby ? `db${leader}.example.com` : null,
      upstream_port: isStandby ? 5432 : null,
      binary_standby_count: id === leader ? SIZE - 2 : 0,
      publication_count: id === leader ? 1 : 0,
      subscription_count: isSubscriber ? 1 : 0,
      role_details: {
        server_address: `10.${id >> 16}.${(id >> 8) & 255}.${id & 255}`,
        server_port: 5432,
        ...(id === leader && {
          standbys,
          logical_slots: [{ name: `sub_${base}`, database: 'app', active: true }],
        }),
        ...(isSubscriber && {
          subscriptions: [
            { name: `sub_${base}`, slot_name: `sub_${base}`, publisher_host: `db${leader}.example.com` },
          ],
        }),
      },
    };
    return { id, system: `7000000000000${isSubscriber ? id : base}`, rows: [role] };
  });
  await db.run(sql`/* bench.roles */
    insert into metrics.current_snapshots as s
      (connection_id, probe, collected_at, attempted_at, took_ms, outcome, rows, row_count)
    select r.id, 'pg_node_role', now(), now(), 1, 'ran', r.rows, 1
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id integer, rows jsonb)
    on conflict (connection_id, probe, database_name) do update
    set collected_at = excluded.collected_at, rows = excluded.rows`);
  await db.run(sql`/* bench.systems */
    update metrics.facts f
    set value = f.value || jsonb_build_object('system_identifier', r.system)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id integer, system text)
    where f.connection_id = r.id and f.probe = 'pg_server_info'`);
  await db.run(sql`/* bench.states */
    insert into matriarch.connection_states (connection_id, last_connected_at)
    select c.id, now() from matriarch.connections c
    on conflict do nothing`);
}

/** Its rounds, timed, with the statements that they took. */
async function rounds(name: string, db: Database, prepare: (round: number) => Promise<void>): Promise<void> {
  const times: number[] = [];
  let moved = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await prepare(round);
    const began = systemClock.monotonic();
    const report = await detectIfDue({ db, log: silentLog, owner: 'bench', every_seconds: 0 });
    times.push(systemClock.monotonic() - began);
    moved += report?.moved ?? 0;
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1).padStart(7);
  print(
    `  ${name.padEnd(34)} p50 ${at(0.5)} ms  worst ${at(1)} ms  moved ${(moved / ROUNDS).toFixed(1)} a round`,
  );
}

async function judging(db: Database): Promise<void> {
  const began = systemClock.monotonic();
  const rows = await queries.readServers(db);
  const read = systemClock.monotonic();
  const facts = rows.map(factsOf);
  const parsed = systemClock.monotonic();
  const { clusters } = detect(facts, NO_MEMORY);
  const judged = systemClock.monotonic();
  const ms = (from: number, to: number) => `${(to - from).toFixed(1)} ms`;
  print(
    `  of that: read ${ms(began, read)}, parse ${ms(read, parsed)}, judge ${ms(parsed, judged)}; ${clusters.length} clusters`,
  );
}

async function measure(cluster: TestCluster, count: number): Promise<void> {
  const url = await newDatabase(cluster, `topology_${count}`);
  const db = new Database({ url, log: silentLog, applicationName: 'bench' });
  try {
    const { user_id } = await makeUser(db);
    await storeServers(db, { count, ownerId: user_id });
    await tell(db, { from: 1, to: count, shift: 0 });
    print(`${count} servers`);
    const began = systemClock.monotonic();
    await detectIfDue({ db, log: silentLog, owner: 'bench', every_seconds: 0 });
    print(`  ${'first round'.padEnd(34)}     ${(systemClock.monotonic() - began).toFixed(1).padStart(7)} ms`);
    await rounds('nothing new', db, async () => undefined);
    await rounds('every server read again', db, () => tell(db, { from: 1, to: count, shift: 0 }));
    await rounds(`${FAILOVERS} failovers`, db, (round) =>
      tell(db, { from: 1, to: Math.min(count, FAILOVERS * SIZE), shift: (round + 1) % (SIZE - 1) }),
    );
    await judging(db);
  } finally {
    await db.stop();
  }
}

const wanted = process.argv.slice(2).map(Number).filter(Number.isInteger);
const runDirectory = makeRunDirectory();
try {
  const cluster = await startIn(runDirectory, { major: 18, settings: { shared_buffers: '128MB' } });
  for (const count of wanted.length > 0 ? wanted : COUNTS) await measure(cluster, count);
  await cluster.stop();
} finally {
  removeRunDirectory(runDirectory);
}
