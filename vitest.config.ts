// Five kinds of tests: unit (pure), web (components of the interface in jsdom, against HTTP on the loopback), db (real
// PostgreSQL and HTTP), e2e (a browser), and faults: what breaks, in full, for npm run test:faults alone, while db has
// the short form. Threads without isolation start in no time; a test that changes something global must undo it.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/lib/longest-first.mjs';
import { useMemoryForFiles } from './scripts/lib/test-files.mjs';

useMemoryForFiles();

const UNIT = ['server/src/**/*.unit.test.ts', 'web/src/**/*.unit.test.ts', 'scripts/**/*.unit.test.mjs'];
/** These reckon and never wait, so that more of them than there are cores would only load the same modules more often. */
const RECKONING_WORKERS = Math.max(1, Math.min(availableParallelism(), 4));
const ELSEWHERE = ['**/node_modules/**', '**/dist/**'];

export default defineConfig({
  test: {
    pool: 'threads',
    isolate: false,
    // More than there are cores: most tests wait for a server, a browser or an interval most of the time.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // No test depends on how fast a busy machine is.
    expect: { poll: { timeout: 60_000, interval: 100 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT,
          exclude: ELSEWHERE,
          maxWorkers: RECKONING_WORKERS,
          testTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: ['web/src/**/*.unit.test.tsx'],
          exclude: ELSEWHERE,
          maxWorkers: RECKONING_WORKERS,
          environment: 'jsdom',
          setupFiles: ['web/src/testing/setup.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          sequence: { groupOrder: 1 },
          include: ['server/src/**/*.test.ts'],
          exclude: [...ELSEWHERE, '**/*.unit.test.ts', '**/*.faults.test.ts'],
          globalSetup: ['server/src/testing/servers/global-setup.ts'],
          // A machine that does other work beside takes several times as long.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          teardownTimeout: 15_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          sequence: { groupOrder: 1 },
          include: ['e2e/**/*.test.ts'],
          exclude: ELSEWHERE,
          // To look at a large page costs a browser up to a tenth of a second.
          expect: { poll: { timeout: 60_000, interval: 300 } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          teardownTimeout: 15_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          sequence: { groupOrder: 2 },
          include: ['server/src/**/*.faults.test.ts'],
          exclude: ELSEWHERE,
          globalSetup: ['server/src/testing/servers/global-setup.ts'],
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
          teardownTimeout: 15_000,
        },
      },
    ],
  },
});
