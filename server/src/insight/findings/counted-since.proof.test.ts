// Since when counters count, on real servers of all versions: a shutdown loses none of them, a crash loses all. A start alone says
// nothing of it. That a reset begins them anew is in counted-since.kit.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECOND_MS } from '../../kernel/units.ts';
import { counting } from '../../testing/servers/counted.ts';
import { MAJORS, startCluster, type TestCluster } from '../../testing/servers/postgres.ts';

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
    expect(again.started).toBeGreaterThan(shut - SECOND_MS);
    expect(again.inserted).toBeGreaterThanOrEqual(10_000);
    expect(again.since).toBe(first.since);

    await server.kill();
    const killed = Date.now();
    await server.start();
    await server.query('select count(*) from counted');
    const crashed = await counting(server);
    expect(crashed.inserted).toBeLessThan(10_000);
    expect(crashed.since).toBeGreaterThanOrEqual(killed);
  });
});
