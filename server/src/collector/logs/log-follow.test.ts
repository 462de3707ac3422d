// The log of a server that a person follows: a collector looks every second, and as before when the person has left.
import { expect, it } from 'vitest';
import { watchLogs } from '../../estate/server-logs/log-tail.queries.ts';
import { sql } from '../../kernel/sql.ts';
import { newHouse, pollMoved } from '../../testing/collecting-tests.ts';
import { counted, loggingServer, MON, READING, raise, started } from '../../testing/logs/logging-server.ts';

it('is read within seconds', async () => {
  const server = await loggingServer();
  const house = await newHouse();
  const id = await house.connect(server, MON);
  house.start(READING);
  await started(house, id);
  let lines = 0;
  /** Seconds until four lines were counted, each written when the one before was. */
  const takes = async (step: number) => {
    const from = house.clock.monotonic();
    for (let n = 0; n < 4; n += 1) {
      lines += 1;
      await raise(server, lines, lines);
      await pollMoved(house, () => counted(house, id, 'LE001'), step).toBe(lines);
    }
    return (house.clock.monotonic() - from) / 1000;
  };
  await watchLogs(house.db, id);
  // The collector has heard of it.
  await takes(0.25);
  expect(await takes(0.25)).toBeLessThan(11);
  await house.db.run(sql`/* test.left */
    update matriarch.connections set logs_watched_at = now() - interval '46 seconds' where id = ${id}`);
  await takes(2);
  expect(await takes(2)).toBeGreaterThan(13);
}, 120_000);
