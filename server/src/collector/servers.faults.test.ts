// Faults of monitored servers, in full: npm run test:faults. One of them alone: npm run test:faults -- -t F24
import { describe, expect, it } from 'vitest';
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

  it.each(MAJORS)('F24: a server is reset, restarted, replaced and upgraded from PostgreSQL %i', (major) =>
    serverLives(major),
  );
});
