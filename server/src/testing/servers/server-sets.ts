// Sets of real servers for tests: primaries with standbys, cascades, promotions and returns, publishers and
// subscribers, nodes that look like spock's. Servers reach each other over loopback by password or none, as told.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type ClusterOptions, startCluster, type TestCluster, testDirectory } from './postgres.ts';

/** Passwords for sessions, none for streams; both over TCP only. */
const HBA = [
  'host replication all 127.0.0.1/32 trust',
  'host replication all ::1/128 trust',
  'host all all 127.0.0.1/32 scram-sha-256',
];

const SETTINGS = {
  wal_level: 'logical',
  // Several copies at once each end a segment; without this the first copy would look for one that is gone.
  wal_keep_size: '512MB',
  hot_standby: true,
  wal_receiver_status_interval: '1s',
  wal_retrieve_retry_interval: '100ms',
  max_logical_replication_workers: 8,
  max_sync_workers_per_subscription: 1,
} as const;

const options = (more: ClusterOptions): ClusterOptions => ({
  hba: HBA,
  ...more,
  settings: { ...SETTINGS, ...more.settings },
});

/** The server, which ends with the test. */
export async function stopAtEnd(starting: Promise<TestCluster>): Promise<TestCluster> {
  const server = await starting;
  onTestFinished(() => server.stop());
  return server;
}

/** A server that can lead standbys, publish and subscribe. */
export const replicatingServer = (more: ClusterOptions = {}): Promise<TestCluster> =>
  startCluster(options(more));

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const conninfo = ({ port, superuser }: TestCluster, { host = '127.0.0.1', more = '' }: Way = {}) =>
  `host=${host} port=${port} user=${superuser}${more === '' ? '' : ` ${more}`}`;

export interface Way {
  /** What the standby calls the machine of its upstream. */
  host?: string;
  more?: string;
}

/** Lets a standby stream from another server of its system, over TCP. */
export async function follow(standby: TestCluster, upstream: TestCluster, way: Way = {}): Promise<void> {
  await standby.query(`alter system set primary_conninfo = ${quoted(conninfo(upstream, way))}`);
  await standby.query('select pg_reload_conf()');
}

/** A standby of `upstream`, which may be a standby itself; the copy is taken from `primary`. */
export async function startStandby(
  primary: TestCluster,
  { upstream = primary, ...more }: ClusterOptions & { upstream?: TestCluster } & Way = {},
): Promise<TestCluster> {
  const { host, more: rest, ...cluster } = more;
  const standby = await startCluster(options({ ...cluster, standbyOf: primary }));
  await follow(standby, upstream, { ...(host && { host }), ...(rest && { more: rest }) });
  return standby;
}

export async function promote(standby: TestCluster): Promise<void> {
  await standby.query('select pg_promote(true, 30)');
}

/** Brings back a primary that was shut down before its standby was promoted, now as a standby of that one. */
export async function returnAsStandby(old: TestCluster, upstream: TestCluster): Promise<void> {
  const way = conninfo(upstream);
  const auto = path.join(old.directory, 'postgresql.auto.conf');
  writeFileSync(auto, `primary_conninfo = ${quoted(way)}\nrecovery_target_timeline = 'latest'\n`);
  writeFileSync(path.join(old.directory, 'standby.signal'), '');
  await old.start();
}

const MOST_PAUSE_MS = 500;

/** Waits until the server answers true; the longer that takes, the less often it is asked. */
export async function untilTrue(server: TestCluster, condition: string): Promise<void> {
  for (let pause = 50; ; pause = Math.min(MOST_PAUSE_MS, pause * 1.1)) {
    const [row] = await server.query(`select (${condition}) as is_so`);
    if (row?.is_so === true) return;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

export interface Subscribing {
  name: string;
  /** What the subscriber calls the machine of the publisher. */
  host?: string;
  /** Only what was written there itself (16 and later): for two that subscribe to each other. */
  ownChangesOnly?: boolean;
}

/** Subscribes to all tables of the publisher's database postgres, and waits until the worker is at work. */
export async function subscribe(
  subscriber: TestCluster,
  publisher: TestCluster,
  { name, host = '127.0.0.1', ownChangesOnly = false }: Subscribing,
): Promise<void> {
  const [known] = await publisher.query(`select 1 from pg_publication where pubname = 'everything'`);
  if (!known) await publisher.query('create publication everything for all tables');
  const way = `${conninfo(publisher, { host })} dbname=postgres password=${publisher.password}`;
  const origin = ownChangesOnly ? ', origin = none' : '';
  await subscriber.query(
    `create subscription ${name} connection ${quoted(way)} publication everything with (copy_data = false${origin})`,
  );
  await untilTrue(
    subscriber,
    `exists (select from pg_stat_subscription where subname = '${name}' and pid is not null)`,
  );
}

const CATALOG = `
create table spock.node (node_id oid primary key, node_name name not null unique);
create table spock.node_interface (
  if_id oid primary key, if_name name not null, if_nodeid oid not null, if_dsn text not null
);
create table spock.local_node (node_id oid primary key, node_local_interface oid not null);
create table spock.subscription (
  sub_id oid primary key, sub_name name not null unique, sub_origin oid not null, sub_target oid not null,
  sub_origin_if oid not null, sub_target_if oid not null, sub_enabled boolean not null default true,
  sub_slot_name name not null
);
`;

/**
 * Settings with which a PostgreSQL 18 offers an extension named spock that has the tables in which spock keeps its nodes,
 * and replicates nothing: the real one is not to be had from the package registry.
 */
export function spockSettings(): { extension_control_path: string } {
  const directory = testDirectory('spock');
  const folder = path.join(directory, 'extension');
  mkdirSync(folder);
  writeFileSync(
    path.join(folder, 'spock.control'),
    "default_version = '5.0.1'\nschema = spock\nrelocatable = false\n",
  );
  writeFileSync(path.join(folder, 'spock--5.0.1.sql'), CATALOG);
  chmodSync(folder, 0o755);
  return { extension_control_path: `${directory}:$system` };
}

export interface SpockPeer {
  node_id: number;
  server: TestCluster;
}

/** Makes the server a node that subscribes to the others; the publishers get the slots for it. */
export async function joinSpock({ node_id, server }: SpockPeer, others: readonly SpockPeer[]): Promise<void> {
  await server.query('create extension if not exists spock');
  for (const peer of [{ node_id, server }, ...others]) {
    await server.query('insert into spock.node values ($1, $2)', [peer.node_id, `n${peer.node_id}`]);
    const dsn = `${conninfo(peer.server)} dbname=postgres password=${peer.server.password}`;
    await server.query('insert into spock.node_interface values ($1, $2, $3, $4)', [
      peer.node_id + 1000,
      `n${peer.node_id}`,
      peer.node_id,
      dsn,
    ]);
  }
  await server.query('insert into spock.local_node values ($1, $2)', [node_id, node_id + 1000]);
  for (const peer of others) {
    const name = `sub_n${node_id}_n${peer.node_id}`;
    const slot = `spk_postgres_n${peer.node_id}_${name}`;
    await server.query('insert into spock.subscription values ($1, $2, $3, $4, $5, $6, true, $7)', [
      peer.node_id,
      name,
      peer.node_id,
      node_id,
      peer.node_id + 1000,
      node_id + 1000,
      slot,
    ]);
    await peer.server.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [slot]);
  }
}
