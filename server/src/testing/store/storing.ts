// A store to write to in tests: leases of made-up connections, and runs of made-up probes.
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import type { Outcome, ProbeRun, Row } from '../../store/layout/types.ts';
import { MetricsWriter, type WriterOptions } from '../../store/write/writer.ts';
import { type TestDatabase, testDatabase } from '../servers/database.ts';

export const T0 = Date.parse('2026-01-01T00:00:00Z');

/** Rows of a snapshot probe, collected `at` milliseconds after T0. */
export const rowsOf = (at: number, rows: Row[]): Outcome => ({
  kind: 'ran',
  collected_at: T0 + at,
  rows,
  history_by: undefined,
});

/** Items of a change-tracked probe, told apart by their name. */
export const items = (at: number, rows: Row[]): Outcome => ({
  kind: 'ran',
  collected_at: T0 + at,
  rows,
  history_by: ['name'],
});

/** A run of the probe `p` under epoch 1. */
export function run(connection_id: number, at: number, outcome: Outcome): ProbeRun {
  const attempted_at = T0 + at;
  return { connection_id, epoch: 1, probe: 'p', database_name: '', attempted_at, took_ms: 2.5, outcome };
}

export interface Storing extends TestDatabase {
  /** A connection with a lease in force; answers its id. */
  leased(epoch?: number): Promise<number>;
  writer(more?: Partial<WriterOptions>): MetricsWriter;
  write(...runs: ProbeRun[]): Promise<void>;
}

/** On a fresh database, or on one that the test has made. */
export async function storing(made?: TestDatabase): Promise<Storing> {
  const store = made ?? (await testDatabase());
  const { db } = store;
  await db.run(sql`insert into matriarch.users (id, username) values (1, 'owner')`);
  let lastId = 0;
  const leased = async (epoch = 1) => {
    lastId += 1;
    await db.run(sql`
      insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored, created_at)
      values (${lastId}, 1, ${`c${lastId}`}, 'h', 5432, 'd', 'u', true, now() - interval '60 days')`);
    await db.run(sql`
      insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
      values (${lastId}, 'me', ${epoch}, now() + interval '1 hour')`);
    await db.run(sql`
      insert into matriarch.lease_epochs (connection_id, epoch, taken_at)
      values (${lastId}, ${epoch}, now() - interval '1 day')`);
    return lastId;
  };
  const writer = (more: Partial<WriterOptions> = {}) =>
    new MetricsWriter({ db, log: silentLog, clock: systemClock, ...more });
  const write = async (...runs: ProbeRun[]) => {
    const one = writer();
    for (const each of runs) one.add(each);
    await one.stop();
  };
  return { ...store, leased, writer, write };
}
