// A PostgreSQL to be watched in benches: four databases with as many tables as wanted, a role that may read statistics,
// and somebody who changes every table a little, so that there is something to store.
import pg from 'pg';
import { sleep } from '../kernel/clock.ts';
import { type Major, startIn, type TestCluster } from '../testing/servers/cluster.ts';

export const ROLE = 'watcher';
const DATABASES = ['archive', 'payroll', 'postgres', 'shop'] as const;
const TOUCH_MS = 2000;

export interface WatchedServer {
  readonly cluster: TestCluster;
  /** Sessions of the bench; kept open, so that the server's account does not count them. */
  readonly session: pg.Client;
  /** Process ids of the collector's sessions now. */
  backends(): Promise<number[]>;
  /** Starts changing tables every two seconds: all of them, or as many of each database as were to be `touched`. */
  touch(): void;
  stop(): Promise<void>;
}

const TABLES = (count: number) => `do $$
  begin
    for n in 1..${count} loop
      execute format('create table t_%s (id bigserial primary key, a integer, b text)', n);
      execute format('create index on t_%s (a)', n);
      execute format('insert into t_%s (a, b) select g, md5(g::text) from generate_series(1, 20) g', n);
    end loop;
  end $$`;

const TOUCH = (count: number) => `do $$
  begin
    for n in 1..${count} loop
      execute format('insert into t_%s (a) values (1)', n);
    end loop;
  end $$`;

async function clientOf(cluster: TestCluster, database: string): Promise<pg.Client> {
  const url = new URL(cluster.url);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.toString(), application_name: 'bench' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function startWatched(
  directory: string,
  { tables, touched = tables, major = 18 }: { tables: number; touched?: number; major?: Major },
): Promise<WatchedServer> {
  const settings = { autovacuum: false, track_io_timing: true, shared_buffers: '64MB' };
  const cluster = await startIn(directory, { major, settings });
  await cluster.query(`create role ${ROLE} login password '${ROLE}' in role pg_monitor`);
  for (const name of DATABASES) if (name !== 'postgres') await cluster.query(`create database ${name}`);
  const clients = await Promise.all(DATABASES.map((name) => clientOf(cluster, name)));
  await Promise.all(clients.map((client) => client.query(TABLES(tables))));
  // As autovacuum would have done: without it the catalogs themselves are read by bad plans.
  await Promise.all(clients.map((client) => client.query('vacuum analyze')));
  const session = await clientOf(cluster, 'postgres');
  await session.query('create extension pg_stat_statements');
  await session.query('checkpoint');
  const stopping = new AbortController();
  let touching: Promise<void> | undefined;
  const keepTouching = async () => {
    while (!stopping.signal.aborted) {
      await Promise.all(clients.map((client) => client.query(TOUCH(touched))));
      await sleep(TOUCH_MS, stopping.signal);
    }
  };
  return {
    cluster,
    session,
    backends: async () => {
      const { rows } = await session.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'matriarch'`,
      );
      return rows.map(({ pid }) => pid);
    },
    touch: () => {
      touching ??= keepTouching();
    },
    stop: async () => {
      stopping.abort();
      await touching;
      await Promise.all([...clients, session].map((client) => client.end()));
      await cluster.stop();
    },
  };
}
