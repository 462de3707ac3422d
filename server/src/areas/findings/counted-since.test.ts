// Since when counters count, on real servers of all versions: a shutdown loses none of them, a crash loses all, and a reset begins
// them anew. A start alone says nothing of it.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Facts } from '../../findings/facts.ts';
import { readingsOf } from '../../testing/servers/judging.ts';
import { MAJORS, startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { sessionOn } from '../../testing/servers/probing.ts';

const PROBES = ['pg_server_info', 'pg_stat_database', 'pg_stat_wal', 'pg_stat_checkpointer'];
/** The shutdown between two figures. */
const SECOND = 1000;

async function known(server: TestCluster) {
  const session = await sessionOn(server);
  try {
    const facts = new Facts(await readingsOf(session, PROBES));
    const counted = facts.rows('pg_stat_database').find((item) => item.text('datname') === 'postgres');
    return {
      since: facts.countedSince('postgres') ?? Number.NaN,
      inserted: counted?.number('tup_inserted') ?? 0,
      started: facts.row('pg_server_info')?.time('postmaster_start_time') ?? Number.NaN,
    };
  } finally {
    await session.client.close();
  }
}

/** The collector of version 14 tells of a database only after a while. */
const counting = (server: TestCluster, from = 0) =>
  vi.waitFor(
    async () => {
      const found = await known(server);
      expect(found.since).toBeGreaterThanOrEqual(from);
      expect(found.since).toBeLessThanOrEqual(Date.now());
      return found;
    },
    { interval: 100 },
  );

describe.each(MAJORS)('on PostgreSQL %i', (major) => {
  let server: TestCluster;
  beforeAll(async () => {
    server = await startCluster({ major });
    await server.query('create table counted as select generate_series(1, 10000) as n');
  });
  afterAll(() => server.stop());

  it('counters count since before the newest start, unless it follows a crash', async () => {
    const first = await counting(server);
    await server.shutdown();
    const shut = Date.now();
    await server.start();
    const again = await counting(server);
    expect(again.started).toBeGreaterThan(shut - SECOND);
    expect(again.inserted).toBeGreaterThanOrEqual(10_000);
    expect(again.since).toBe(first.since);

    await server.kill();
    const killed = Date.now();
    await server.start();
    await server.query('select count(*) from counted');
    const crashed = await counting(server);
    expect(crashed.inserted).toBeLessThan(10_000);
    expect(crashed.since).toBeGreaterThanOrEqual(killed);

    const before = Date.now();
    await server.query('select pg_stat_reset()');
    expect((await counting(server, before)).inserted).toBe(0);
  });

  it('is unknown where the server says nothing of it', async () => {
    const session = await sessionOn(server);
    const { now, readings } = await readingsOf(session, ['pg_server_info']);
    await session.client.close();
    expect(new Facts({ now, readings }).countedSince('postgres')).toBeNull();
  });
});
