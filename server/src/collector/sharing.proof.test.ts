// What holds when collectors come and go on one datastore. Those that die or freeze, and a datastore that is away, are in
// handover.proof.test.ts.
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { movedSamples, newHouse, pollMoved, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { leases } from '../testing/leases.ts';
import { sharedServer } from '../testing/servers/postgres.ts';

describe('several collectors', () => {
  it('share the connections evenly, and one takes over when the other stops', async () => {
    const house = await newHouse();
    const server = await sharedServer(18);
    const ids = await Promise.all(Array.from({ length: 7 }, () => house.connect(server)));
    const first = house.start({ probes: [EVERY_SECOND] });
    await pollMoved(house, () => first.holding).toEqual(ids.toSorted((a, b) => a - b));
    const second = house.start({ probes: [EVERY_SECOND] });
    await expect.poll(() => [first.holding.length, second.holding.length], SOON).toEqual([4, 3]);
    expect(first.holding.filter((id) => second.holding.includes(id))).toEqual([]);
    const moved = second.holding[0] ?? 0;
    expect((await leases(house)).find((row) => row.connection_id === moved)).toEqual({
      connection_id: moved,
      owner: second.owner,
      epoch: 2,
    });
    await movedSamples(house, moved, 2);
    await first.stop();
    await pollMoved(house, () => second.holding.length).toBe(7);
    await movedSamples(house, ids[0] ?? 0, 1);
  });

  it('one that fell asleep in the middle of a COPY does not keep what it has locked', async () => {
    const house = await newHouse();
    const id = await house.connect(await sharedServer(18));
    await house.db.run(sql`
      insert into matriarch.connection_leases (connection_id, owner, expires_at)
      values (${id}, 'asleep', now() - interval '1 minute')`);
    const client = new pg.Client({
      connectionString: house.url.reveal(),
      application_name: 'matriarch test',
    });
    const { promise: ended, resolve } = Promise.withResolvers<Error>();
    client.on('error', resolve);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(
      `begin; select from matriarch.connection_leases where connection_id = ${id} for update`,
    );
    const copy = client.query(copyFrom('copy matriarch.login_attempts (address) from stdin'));
    copy.on('error', resolve);
    copy.write('somewhere\n');
    const collector = house.start({ probes: [EVERY_SECOND] });
    await expect.poll(() => collector.holding, SOON).toEqual([id]);
    await ended;
    await collector.stop();
  });

  it.each([-600_000, 600_000])(
    'stamps what it reads by the datastore’s clock, with its own off by %i ms',
    async (off) => {
      const house = await newHouse();
      const id = await house.connect(await sharedServer(18));
      house.start({ probes: [EVERY_SECOND], clock: { ...house.clock, now: () => house.clock.now() + off } });
      await movedSamples(house, id, 2);
      const row = await house.db.one<{ old_s: number }>(sql`
      select extract(epoch from now() - s.collected_at)::float8 as old_s
      from metrics.current_snapshots s where s.connection_id = ${id} and s.probe = 'pulse'`);
      expect(Math.abs(row.old_s)).toBeLessThan(30);
    },
  );
});
