// Faults of monitored servers, in full: npm run test:faults. One of them alone: npm run test:faults -- -t F24
import { describe, expect, it } from 'vitest';
import { hostileHerd } from '../testing/faults/hostile-herd.ts';
import {
  hangingServer,
  hangingSession,
  lockedCatalog,
  poisonProbes,
  swallowed,
} from '../testing/faults/server-faults.ts';
import { serverLives } from '../testing/faults/server-lives.ts';
import { MAJORS } from '../testing/servers/postgres.ts';

describe('in full', () => {
  it('F4: a server hangs again and again, and the others keep their cadence', () => hangingServer(5));

  it('F4: our session hangs alone, and is replaced', () => hangingSession());

  it('F5: a hundred addresses swallow every packet, and cost next to nothing', async () => {
    const { percent } = await swallowed(100, 30);
    process.stdout.write(`F5 ${percent.toFixed(2)} % of a core for 100 dead servers\n`);
    expect(percent).toBeLessThan(5);
  });

  it.each(MAJORS)('F6: tables and catalogs are locked on PostgreSQL %i', (major) => lockedCatalog(major));

  it('F17: probes are poison', () => poisonProbes());

  it('F27: thirty servers send rows without end, and cost the others next to nothing', async () => {
    const mode = 'rows of 1,600 tiny columns without end';
    const { alone, beside, connections } = await hostileHerd({ seconds: 60, mode });
    const more = { memory: beside.peak - alone.peak, pause: beside.pause - alone.pause };
    const slower = beside.p99 / alone.p99;
    process.stdout.write(
      `F27 +${more.memory.toFixed(0)} MB, pause +${more.pause.toFixed(0)} ms, p99 × ${slower.toFixed(2)}\n`,
    );
    expect(connections).toBeGreaterThan(0);
    expect(alone.samples).toBeGreaterThan(0);
    expect(more.memory).toBeLessThanOrEqual(150);
    expect(more.pause).toBeLessThanOrEqual(1000);
    expect(slower).toBeLessThanOrEqual(2);
  });

  it.each(MAJORS)('F24: a server is reset, restarted, replaced and upgraded from PostgreSQL %i', (major) =>
    serverLives(major),
  );
});
