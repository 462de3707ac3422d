// A primary and a standby of one's own that streams from it over TCP through a slot, with a role that may read
// statistics and nothing else.
import { randomUUID } from 'node:crypto';
import { startIn, type TestCluster } from '../../server/src/testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../../server/src/testing/servers/run-directory.ts';

export interface Pair {
  primary: TestCluster;
  standby: TestCluster;
  /** What connects to one of them, as the API takes it. */
  connection(of: TestCluster, name: string): Record<string, unknown>;
  stop(): Promise<void>;
}

const HBA = ['host replication all 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256'];
const SETTINGS = { wal_level: 'logical', hot_standby: true, wal_receiver_status_interval: '1s' } as const;

export async function startPair(): Promise<Pair> {
  const runDirectory = makeRunDirectory();
  try {
    const settings = { ...SETTINGS, cluster_name: 'a' };
    const primary = await startIn(runDirectory, { major: 17, hba: HBA, settings });
    const [username, password] = ['matriarch_monitor', randomUUID()];
    await primary.query(`create role ${username} login password '${password}' in role pg_monitor`);
    await primary.query(`select pg_create_physical_replication_slot('orders_standby')`);
    const standby = await startIn(runDirectory, {
      major: 17,
      hba: HBA,
      settings: { ...SETTINGS, cluster_name: 'b' },
      standbyOf: primary,
    });
    const conninfo = `host=127.0.0.1 port=${primary.port} user=${primary.superuser}`;
    await standby.query(`alter system set primary_slot_name = 'orders_standby'`);
    await standby.query(`alter system set primary_conninfo = '${conninfo}'`);
    await standby.query('select pg_reload_conf()');
    return {
      primary,
      standby,
      connection: ({ host, port }, name) => ({
        name,
        host,
        port,
        database_name: 'postgres',
        username,
        password,
        is_monitored: true,
        is_shared: true,
      }),
      stop: async () => {
        await standby.stop();
        await primary.stop();
        removeRunDirectory(runDirectory);
      },
    };
  } catch (error) {
    removeRunDirectory(runDirectory);
    throw error;
  }
}
