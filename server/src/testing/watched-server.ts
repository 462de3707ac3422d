// A server that collectors read completely: with databases under all kinds of names, one that is closed, and roles with more and
// fewer rights.
import pg from 'pg';
import { expect } from 'vitest';
import { probes } from '../probes/catalog.gen.ts';
import { isSqlProbe } from '../probes/types.ts';
import type { Collecting } from './collecting.ts';
import { SOON } from './collecting-tests.ts';
import { startCluster, type TestCluster } from './servers/postgres.ts';

/** 63 bytes, the longest there is. */
export const HOSTILE = `we"ird'\u202e;drop--${'🐘'.repeat(11)}xx`;

export async function watchedServer(): Promise<TestCluster> {
  const server = await startCluster({ settings: { max_connections: 60 } });
  await server.query('create extension pg_stat_statements');
  await server.query('create database shop');
  await server.query('create database closed');
  await server.query('revoke connect on database closed from public');
  await server.query(`create database ${pg.escapeIdentifier(HOSTILE)}`);
  await server.query(`create role watcher login password 'watcher'`);
  await server.query(`create role plain login password 'plain'`);
  await server.query('grant pg_monitor to watcher');
  return server;
}

/** Every probe has said something of every database. */
export async function everythingRan(house: Collecting, id: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const snapshots = await house.snapshots(id);
        return snapshots.map(({ probe, database_name }) => `${probe}/${database_name}`).sort();
      },
      { ...SOON, interval: 200 },
    )
    .toEqual(
      probes
        .filter(isSqlProbe)
        .flatMap(({ name, level }) =>
          (level === 'S' ? [''] : ['closed', 'postgres', 'shop', HOSTILE]).map((where) => `${name}/${where}`),
        )
        .sort(),
    );
}

/** Sessions of ours on it. */
export async function sessionsOn(server: TestCluster): Promise<number> {
  const [row] = await server.query(
    `select count(*)::int as n from pg_stat_activity where application_name = 'matriarch'`,
  );
  return Number(row?.n);
}
