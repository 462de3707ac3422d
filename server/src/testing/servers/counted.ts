// Since when counters of a database count, as checks see it.
import { expect, vi } from 'vitest';
import { Facts } from '../../insight/checks/facts.ts';
import { readingsOf } from './judging.ts';
import type { TestServer } from './postgres.ts';
import { sessionOn } from './probing.ts';

const PROBES = ['pg_server_info', 'pg_stat_database', 'pg_stat_wal', 'pg_stat_checkpointer'];
async function known(server: TestServer, database: string) {
  const session = await sessionOn(server, undefined, database);
  try {
    const facts = new Facts(await readingsOf(session, PROBES));
    const counted = facts.rows('pg_stat_database').find((item) => item.text('datname') === database);
    return {
      since: facts.countedSince(database) ?? Number.NaN,
      inserted: counted?.number('tup_inserted') ?? 0,
      started: facts.row('pg_server_info')?.time('postmaster_start_time') ?? Number.NaN,
    };
  } finally {
    await session.client.close();
  }
}

/** The collector of version 14 tells of a database only after a while. */
export const counting = (
  server: TestServer,
  { from = 0, database = 'postgres' }: { from?: number; database?: string } = {},
) =>
  vi.waitFor(
    async () => {
      const found = await known(server, database);
      expect(found.since).toBeGreaterThanOrEqual(from);
      expect(found.since).toBeLessThanOrEqual(Date.now());
      return found;
    },
    { timeout: 30_000, interval: 100 },
  );
