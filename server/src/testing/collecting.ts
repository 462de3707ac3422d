// Collectors in tests: connections stored as the program stores them, and a collector over them that the test waits
// on. Guards: whatever a test starts through here, its stop() ends.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Collector, startCollector } from '../collector/collector.ts';
import type { CollectorOptions } from '../collector/shared.ts';
import {
  insertConnection,
  lockConnection,
  nextConnectionId,
  saveConnection,
} from '../estate/connections/connections.queries.ts';
import { openPassword, sealPassword } from '../estate/connections/stored-password.ts';
import { loadTargets } from '../estate/connections/targets.service.ts';
import { openVault, type Vault } from '../identity/secrets/vault.service.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { openEngine } from '../store/layout/engine/open.ts';
import { type MovedClock, movedClock } from './moved-clock.ts';
import { type FactRow, factsOf, type SnapshotRow, snapshotsOf } from './store/reads.ts';

export interface MonitoredServer {
  host: string;
  port: number;
  superuser: string;
  password: string;
}

export interface ConnectionWish {
  database?: string;
  username?: string;
  password?: string;
  is_monitored?: boolean;
}

/** Of the collectors of tests. */
export const CONFIG = {
  connect_timeout_seconds: 5,
  connects_per_second: 50,
  concurrency: 64,
  budget_percent: 100,
  masked_parameters: [],
};

export interface Collecting {
  db: Database;
  keyFile: string;
  /** That of its collectors, unless they are given another one. */
  clock: MovedClock;
  /** Stores a monitored connection and tells nobody; answers its id. */
  connect(server: MonitoredServer, wish?: ConnectionWish): Promise<number>;
  /** The connection leads to another port from now on, as after an edit with the password typed again. */
  lead(id: number, port: number): Promise<void>;
  /** Starts a collector over these connections, without host facts. */
  start(options?: Partial<CollectorOptions>): Collector;
  snapshots(id: number): Promise<SnapshotRow[]>;
  /** The snapshot of a probe, on the server or in a database. */
  snapshot(id: number, probe: string, database?: string): Promise<SnapshotRow | undefined>;
  facts(id: number, probe: string): Promise<FactRow[]>;
  state(id: number): Promise<ConnectionState | undefined>;
  /** Stops every collector and forgets the key. */
  stop(): Promise<void>;
}

export interface ConnectionState {
  last_connected_at: string | null;
  connection_error: string | null;
  consecutive_failures: number;
}

async function storeConnection(
  { db, vault }: { db: Database; vault: Vault },
  server: MonitoredServer,
  wish: ConnectionWish,
): Promise<number> {
  const id = await nextConnectionId(db);
  const password = new Secret(wish.password ?? server.password);
  const destination = {
    host: server.host,
    hostaddr: null,
    port: server.port,
    username: wish.username ?? server.superuser,
    ssl_mode: 'disable',
    ssl_root_cert_path: null,
  } as const;
  await insertConnection(db, {
    ...destination,
    id,
    owner_id: 1,
    name: `c${id}`,
    description: '',
    tags: [],
    database_name: wish.database ?? 'postgres',
    ssl_cert_path: null,
    ssl_key_path: null,
    node_exporter_url: null,
    is_shared: false,
    is_monitored: wish.is_monitored ?? true,
    ...(await sealPassword(vault, destination, { id, password, entered_by: 1 })),
  });
  return id;
}

/** On a migrated datastore, with a secret key of its own or that of another house on the same datastore. */
export async function collecting(url: Secret, otherKey?: string): Promise<Collecting> {
  const db = new Database({ url, log: silentLog, applicationName: 'matriarch test', max: 8 });
  await openEngine(db);
  // A child that will be killed brings its key along, so that it leaves nothing behind.
  const folder = otherKey === undefined ? await mkdtemp(path.join(tmpdir(), 'matriarch-key-')) : undefined;
  const keyFile = otherKey ?? path.join(folder ?? '', 'secret.key');
  const vault = await openVault({ db, keyFile, createIfMissing: true });
  await db.run(sql`insert into matriarch.users (id, username) values (1, 'owner') on conflict do nothing`);
  const collectors: Collector[] = [];
  const clock = movedClock();
  const targets = {
    load: (ids: readonly number[]) => loadTargets(db, vault, { ids, allow_private_networks: true }),
  };
  const connect = (server: MonitoredServer, wish: ConnectionWish = {}) =>
    storeConnection({ db, vault }, server, wish);
  const lead = async (id: number, port: number) => {
    const row = await lockConnection(db, id);
    const password = row && (await openPassword(vault, row));
    if (!row || !password) throw new Error(`connection ${id} has no password`);
    const bound = await sealPassword(vault, { ...row, port }, { id, password, entered_by: 1 });
    await saveConnection(db, { ...row, port, revision: row.revision + 1, ...bound });
  };
  const start = (options: Partial<CollectorOptions> = {}) => {
    const common = { db, url, targets, clock, log: silentLog, config: CONFIG, hosts: null };
    const collector = startCollector({ ...common, ...options });
    collectors.push(collector);
    return collector;
  };
  const snapshots = (id: number) => snapshotsOf(db, id);
  return {
    db,
    keyFile,
    clock,
    connect,
    lead,
    start,
    snapshots,
    snapshot: async (id, probe, database = '') =>
      (await snapshots(id)).find((one) => one.probe === probe && one.database_name === database),
    facts: (id, probe) => factsOf(db, { connection_id: id, probe }),
    state: (id) =>
      db.maybe<ConnectionState>(sql`
        select last_connected_at, connection_error, consecutive_failures
        from matriarch.connection_states where connection_id = ${id}`),
    stop: async () => {
      await Promise.all(collectors.map((collector) => collector.stop()));
      await db.stop();
      if (folder) await rm(folder, { recursive: true });
    },
  };
}
