// Runs of autovacuum and checkpoints of real servers, from the lines of their logs to the API.
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { collecting } from '../../testing/collecting.ts';
import { pollMoved } from '../../testing/collecting-tests.ts';
import { everyRunLogged } from '../../testing/logs/log-scenes.ts';
import { loggingServer, MON, READING, started } from '../../testing/logs/logging-server.ts';
import { type TestCluster, testDirectory } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { serverLogsRoutes } from './server-logs.routes.ts';

const UPKEEP = {
  log_checkpoints: true,
  autovacuum: true,
  autovacuum_naptime: '1s',
  autovacuum_vacuum_threshold: 10,
  autovacuum_analyze_threshold: 10,
};

async function read(server: TestCluster) {
  const directory = testDirectory('key');
  const api = await startTestApi({ rooms: [serverLogsRoutes], directory });
  const house = await collecting(api.database.url, join(directory, 'secret.key'));
  onTestFinished(async () => {
    await house.stop();
    await api.close();
  });
  const id = await house.connect(server, MON);
  house.start(READING);
  await started(house, id);
  const get = async (path: string, query = '') => {
    const token = api.actors.superuser.session;
    const end = new Date(Date.now() + 60_000).toISOString();
    const range = `start_time=${new Date(Date.now() - 3_600_000).toISOString()}&end_time=${end}`;
    const { status, text, body } = await api.call(`GET /api/v1/connections/${id}/${path}?${range}&${query}`, {
      token,
    });
    expect(status, text).toBe(200);
    return Object(body);
  };
  return { house, get };
}

/** Autovacuum of a table is under way for long, and gives way to a lock. */
async function cancelVacuum(server: TestCluster): Promise<void> {
  await server.query('create table yields (n int, filler text)');
  await server.query(
    `alter table yields set (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`,
  );
  await server.query(`insert into yields select i, repeat('x', 500) from generate_series(1, 20000) i`);
  await server.query('delete from yields where n % 2 = 0');
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  onTestFinished(() => client.end());
  await expect
    .poll(
      async () =>
        (await client.query(`select from pg_stat_progress_vacuum where relid = 'yields'::regclass`)).rowCount,
      { timeout: 60_000 },
    )
    .toBe(1);
  await client.query('alter table yields set (autovacuum_enabled = false)');
  await client.query('drop table yields');
}

describe.each(majorsOfKits())('the upkeep of PostgreSQL %i', (major) => {
  it('has runs of autovacuum by table with their figures, and those that were cancelled', async () => {
    const server = await loggingServer({ ...UPKEEP, ...everyRunLogged(major) }, major);
    const { house, get } = await read(server);
    await server.query('create table "odd.name" as select i as n from generate_series(1, 1000) i');
    await server.query('delete from "odd.name" where n % 2 = 0');
    const runs = async (query = '') => (await get('vacuum-runs', query)).runs;
    const kinds = async () => new Set((await runs('search=ODD.')).map(({ kind }: { kind: string }) => kind));
    await pollMoved(house, kinds).toEqual(new Set(['vacuum', 'analyze']));
    const all = await runs(`table=${encodeURIComponent('postgres.public.odd.name')}`);
    expect(all.find(({ kind }: { kind: string }) => kind === 'vacuum')).toMatchObject({
      table: 'postgres.public.odd.name',
      tuples_removed: 500,
      tuples_remain: 500,
      tuples_not_removable: 0,
      elapsed_seconds: expect.any(Number),
      buffer_hits: expect.any(Number),
      wal_bytes: expect.any(Number),
    });
    expect(await runs('table=postgres.public.odd')).toEqual([]);
    await cancelVacuum(server);
    await pollMoved(house, () => runs('table=postgres.public.yields')).toMatchObject([{ kind: 'cancelled' }]);
  }, 180_000);

  it('has checkpoints with why they began', async () => {
    const server = await loggingServer({ ...UPKEEP, ...everyRunLogged(major) }, major);
    const { house, get } = await read(server);
    await server.query('create table t as select i from generate_series(1, 1000) i');
    await server.query('checkpoint');
    const newest = async () => (await get('checkpoints')).checkpoints[0];
    await pollMoved(house, async () => (await newest())?.cause).toBe('request');
    expect(await newest()).toMatchObject({
      kind: 'checkpoint',
      started_at: expect.any(String),
      buffers: expect.any(Number),
      total_seconds: expect.any(Number),
      distance_bytes: expect.any(Number),
    });
  }, 120_000);
});
