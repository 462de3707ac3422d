// The WAL receiver of PostgreSQL 19 is there before it has reached its server, in a state of its own. No program of 19 runs here: a real
// standby of 18 shows that state instead of its own.
import { expect, it, onTestFinished } from 'vitest';
import { type ClusterOptions, startCluster } from '../testing/servers/postgres.ts';
import { rowsOf, sessionOn } from '../testing/servers/probing.ts';

const CONNECTING = `do $do$
begin
  execute 'create or replace view pg_catalog.pg_stat_wal_receiver as '
    || regexp_replace(pg_get_viewdef('pg_catalog.pg_stat_wal_receiver'), '\\mstatus,', '''connecting''::text as status,');
end
$do$`;

async function server(options: ClusterOptions) {
  const started = await startCluster({ major: 18, ...options });
  onTestFinished(() => started.stop());
  return started;
}

it('a standby whose receiver is only connecting is disconnected, and how far it is behind is unknown', async () => {
  const primary = await server({ settings: { allow_system_table_mods: true } });
  const standby = await server({ standbyOf: primary });
  const session = await sessionOn(standby);
  onTestFinished(() => session.client.close());
  const read = async () =>
    (await rowsOf(session, 'pg_stat_replication')).find(({ role }) => role === 'standby');
  await expect
    .poll(read)
    .toMatchObject({ receiver_status: 'streaming', is_disconnected: false, lag_bytes: 0, replay_lag: 0 });
  expect(await rowsOf(session, 'pg_node_role')).toMatchObject([{ is_streaming_standby: true }]);
  await primary.query(CONNECTING);
  await expect.poll(read).toMatchObject({
    ...{ pid: 0, receiver_pid: expect.any(Number), receiver_status: 'connecting', is_disconnected: true },
    ...{ lag_bytes: null, replay_lag: null },
  });
  expect(await rowsOf(session, 'pg_node_role')).toMatchObject([{ is_streaming_standby: false }]);
});
