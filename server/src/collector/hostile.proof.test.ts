// Hostile servers beside a healthy one in a real collector: each rests, and says why, once it has broken one statement
// after another; the healthy one is read as if they were not there, and what they send is bounded.
import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { replyBudget } from '../monitored/reply-budget.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { furtherSamples, newHouse, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { HOSTILITIES } from '../testing/servers/hostile-modes.ts';
import { startHostile } from '../testing/servers/hostile-server.ts';
import { sharedServer } from '../testing/servers/postgres.ts';

const MB = 1024 * 1024;

const MODES = [
  ['rows of 1,600 tiny columns without end', /^The server sent a larger reply than is accepted \(more than/],
  ['rows without end', /^The server sent a larger reply than is accepted \(more than/],
  ['ready again and again', /does not speak PostgreSQL's protocol correctly/],
  ['rows without a description', /does not speak PostgreSQL's protocol correctly/],
] as const;

it('hostile servers rest with their reason, and nobody else notices', async () => {
  const house = await newHouse();
  const healthy = await house.connect(await sharedServer(18));
  const hostile = await Promise.all(
    MODES.map(async ([name, reason]) => {
      const mode = HOSTILITIES.find((one) => one.at === 'answer' && one.name === name) ?? expect.fail(name);
      const server = await startHostile(mode);
      onTestFinished(() => server.stop());
      const reachable = { host: '127.0.0.1', port: server.port, superuser: 'monitor', password: 'x' };
      return { server, reason, id: await house.connect(reachable) };
    }),
  );
  replyBudget.takePeak();
  house.start({ probes: [...catalog, EVERY_SECOND] });
  for (const { id, reason } of hostile)
    await expect.poll(async () => (await house.state(id))?.connection_error, SOON).toMatch(reason);
  const before = hostile.map(({ server }) => server.connections);
  await furtherSamples(house, healthy, 4);
  expect(await house.state(healthy)).toMatchObject({ connection_error: null });
  for (const [index, { server }] of hostile.entries()) {
    // They rest for 5 s at first, and for twice as long each time.
    expect(server.connections - (before[index] ?? 0)).toBeLessThanOrEqual(4);
    expect(server.sent).toBeLessThan(server.connections * 16 * MB);
  }
  expect(replyBudget.takePeak()).toBeLessThan(40 * MB);
  // Somebody who mended it need not wait.
  const [first] = hostile;
  const tried = first?.server.connections ?? 0;
  await house.db.run(
    sql`update matriarch.connections set retest_requested_at = now() where id = ${first?.id ?? 0}`,
  );
  await expect.poll(() => first?.server.connections, SOON).toBeGreaterThan(tried);
});
