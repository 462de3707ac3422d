// What tests share that set probes through HTTP while collectors read a real server.

import { expect, onTestFinished } from 'vitest';
import { clustersRoutes } from '../estate/clusters/clusters.routes.ts';
import { estateRoutes } from '../estate/estate/estate.routes.ts';
import { syncProbeConfigs } from '../estate/probe-configs/effective.service.ts';
import { probeConfigsRoutes } from '../estate/probe-configs/probe-configs.routes.ts';
import { sql } from '../kernel/sql.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { makeSession } from './access/actors.ts';
import { type Answer, startTestApi } from './api.ts';
import type { Collecting } from './collecting.ts';
import { newHouse, pollMoved } from './collecting-tests.ts';
import { connectionsRoom } from './rooms/connections.ts';

export const WATCHED = ['pg_connectivity', 'pg_stat_wal', 'pg_stat_database', 'pg_stat_user_functions'];
export const probes = catalog.filter(({ name }) => WATCHED.includes(name));

/** Incomplete where the server does not measure the times of WAL. */
export const COLLECTED = expect.stringMatching(/^(ok|incomplete)$/);

export interface House extends Collecting {
  /** `put('server/1/pg_stat_wal', 5)` sets 5 seconds; 0 switches it off. */
  put(path: string, seconds: number): Promise<Answer>;
  call(request: string, body?: object): Promise<Answer>;
}

export async function settingHouse(): Promise<House> {
  const house = await newHouse();
  await syncProbeConfigs(house.db, catalog);
  const test = await startTestApi({
    rooms: [clustersRoutes, connectionsRoom, estateRoutes, probeConfigsRoutes],
    db: house.db,
  });
  onTestFinished(() => test.close());
  await house.db.run(sql`/* test.promote */ update matriarch.users set is_superuser = true where id = 1`);
  const session = await makeSession(house.db, 1);
  const call = (request: string, body?: object) =>
    test.call(request, { token: session, ...(body && { body }) });
  const put = (path: string, seconds: number) =>
    call(`PUT /api/v1/probe-overrides/${path}`, {
      is_enabled: seconds > 0,
      collection_interval_seconds: Math.max(5, seconds),
      retention_days: 7,
    });
  return { ...house, call, put };
}

/** When the probe was read, in milliseconds since the epoch, ascending. */
export async function samplesOf(house: House, id: number, table = 'pg_stat_wal'): Promise<number[]> {
  const name = { pg_stat_wal: sql`metrics.pg_stat_wal`, pg_connectivity: sql`metrics.pg_connectivity` }[
    table
  ];
  if (!name) expect.fail(`no table ${table}`);
  // It is made with the first sample, which a probe that is switched off at once has none of.
  const { is_there } = await house.db.one<{ is_there: boolean }>(sql`/* test.table */
    select to_regclass(${`metrics.${table}`}) is not null as is_there`);
  if (!is_there) return [];
  const rows = await house.db.rows<{ at: number }>(sql`/* test.samples */
    select (extract(epoch from collected_at) * 1000)::bigint as at
    from ${name} where connection_id = ${id} order by collected_at`);
  return rows.map(({ at }) => at);
}

interface Further {
  count: number;
  table?: string;
  /** How much the clock is moved on at each look; 0: real seconds. */
  seconds?: number;
}

export async function further(house: House, id: number, { count, table, seconds }: Further): Promise<void> {
  const samples = async () => (await samplesOf(house, id, table)).length;
  const before = await samples();
  await pollMoved(house, samples, seconds).toBeGreaterThanOrEqual(before + count);
}

export const entryOf = async (house: House, id: number, name: string) => {
  const { body } = await house.call(`GET /api/v1/connections/${id}/coverage`);
  return Object(body).probes.find(({ probe }: { probe: string }) => probe === name);
};

export const defaultGroup = async ({ db }: House) =>
  (
    await db.one<{ id: number }>(
      sql`/* test.group */ select id from matriarch.cluster_groups where is_default`,
    )
  ).id;

export async function clusterOf({ db }: House, ...servers: number[]): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (name) values ('orders') returning id`);
  await db.run(sql`/* test.join */
    update matriarch.connections set cluster_id = ${id} where id = any (${servers}::int[])`);
  return id;
}

export const movedOutcome = (house: House, id: number, probe: string) =>
  pollMoved(house, async () => (await house.snapshot(id, probe))?.outcome);
