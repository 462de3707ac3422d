// Since when counters count, on real servers: a reset begins them anew. What a shutdown and a crash do is in counted-since.proof.test.ts.
import { describe, expect, it } from 'vitest';
import { counting } from '../../testing/servers/counted.ts';
import { probedDatabase } from '../../testing/servers/database-probes.ts';
import { readingsOf } from '../../testing/servers/judging.ts';
import { sharedServer } from '../../testing/servers/postgres.ts';
import { sessionOn } from '../../testing/servers/probing.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { Facts } from '../checks/facts.ts';

describe.each(majorsOfKits())('on PostgreSQL %i', (major) => {
  it('counters count since the newest reset', async () => {
    const server = await sharedServer(major);
    const probed = await probedDatabase(server, [
      'create table counted as select generate_series(1, 10000) as n',
    ]);
    try {
      const database = probed.name;
      await expect.poll(async () => (await counting(server, { database })).inserted).toBeGreaterThan(9999);
      const before = Date.now();
      await probed.query('select pg_stat_reset()');
      expect((await counting(server, { from: before, database })).inserted).toBe(0);
    } finally {
      await probed.close();
    }
  });

  it('is unknown where the server says nothing of it', async () => {
    const session = await sessionOn(await sharedServer(major));
    const { now, readings } = await readingsOf(session, ['pg_server_info']);
    await session.client.close();
    expect(new Facts({ now, readings }).countedSince('postgres')).toBeNull();
  });
});
