// Kinds of tests: unit (pure), web (components of the interface in jsdom, against HTTP on the loopback), db (real
// PostgreSQL and HTTP), db-waiting (those of them that wait most of the time, for intervals, servers and processes), e2e (a
// browser), faults: what breaks, in full, for npm run test:faults alone, while db has the short form, and eval: how well answers
// name the causes of incidents, for npm run eval alone. Threads without
// isolation keep what they have loaded; a test that changes something global must undo it. Each thread loads and optimises
// the server anew, which takes seconds, so that there are few where few can work.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/lib/longest-first.mjs';
import { useMemoryForFiles } from './scripts/lib/test-files.mjs';

useMemoryForFiles();

const UNIT = ['server/src/**/*.unit.test.ts', 'web/src/**/*.unit.test.ts', 'scripts/**/*.unit.test.mjs'];
const FAULTS = ['server/src/**/*.faults.test.ts'];
const EVAL = ['server/src/**/*.eval.test.ts'];
const WAITING = [
  'server/src/*.test.ts',
  'server/src/{cli,collector,datastore}/**/*.test.ts',
  'server/src/alerter/ledger.test.ts',
  'server/src/areas/connections/live-limiter.test.ts',
];
const CORES = Math.max(1, Math.min(availableParallelism(), 4));
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
          maxWorkers: CORES,
          testTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: ['web/src/**/*.unit.test.tsx'],
          exclude: ELSEWHERE,
          maxWorkers: CORES,
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
          exclude: [...ELSEWHERE, ...UNIT, ...FAULTS, ...EVAL, ...WAITING],
          // PostgreSQL does half of the work, in processes of its own.
          maxWorkers: CORES + 3,
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
          name: 'db-waiting',
          sequence: { groupOrder: 2 },
          include: WAITING,
          exclude: [...ELSEWHERE, ...UNIT, ...FAULTS, ...EVAL],
          globalSetup: ['server/src/testing/servers/global-setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          teardownTimeout: 15_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          sequence: { groupOrder: 2 },
          include: ['e2e/**/*.test.ts'],
          exclude: ELSEWHERE,
          // To look at a large page costs a browser up to a tenth of a second.
          expect: { poll: { timeout: 120_000, interval: 300 } },
          testTimeout: 400_000,
          hookTimeout: 240_000,
          teardownTimeout: 15_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          sequence: { groupOrder: 3 },
          include: FAULTS,
          exclude: ELSEWHERE,
          globalSetup: ['server/src/testing/servers/global-setup.ts'],
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
          teardownTimeout: 15_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'eval',
          sequence: { groupOrder: 4 },
          include: EVAL,
          exclude: ELSEWHERE,
          globalSetup: ['server/src/testing/servers/global-setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          teardownTimeout: 15_000,
        },
      },
    ],
  },
});
