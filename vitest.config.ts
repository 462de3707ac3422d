// Two tiers, told by the names of files. Everyday, for `npm test`: unit (*.unit.test.*, pure), web (components of the interface in
// jsdom, against HTTP on the loopback), db (*.test.ts: real PostgreSQL and HTTP) and browser (e2e: journeys). Exhaustive, for
// `npm run prove`: *.proof.test.ts. A kit (*.kit.test.ts) holds what every probe, rule, check or operation promises; it runs in
// both tiers, here with fewer versions or callers than there (testing/tier.ts). Faults in full (npm run test:faults) and eval
// (npm run eval) are asked for by name. Threads without isolation keep what they have loaded; a test that changes something
// global must undo it. What took longest comes first (scripts/lib/longest-first.mjs).
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/lib/longest-first.mjs';
import { useMemoryForFiles } from './scripts/lib/test-files.mjs';

useMemoryForFiles();

const SERVER = 'server/src/**/*';
const UNIT = [`${SERVER}.unit.test.ts`, 'web/src/**/*.unit.test.ts', 'scripts/**/*.unit.test.mjs'];
const PROOF = [`${SERVER}.proof.test.ts`];
const KITS = [`${SERVER}.kit.test.ts`];
const FAULTS = [`${SERVER}.faults.test.ts`];
const EVAL = [`${SERVER}.eval.test.ts`];
const BROWSER_PROOF = ['e2e/**/*.proof.test.ts'];
const CORES = Math.max(1, Math.min(availableParallelism(), 4));
const ELSEWHERE = ['**/node_modules/**', '**/dist/**'];

/** Of files that use servers of their own: one more at once than there are cores, since they wait for these now and then. */
const DATABASE = {
  exclude: ELSEWHERE,
  globalSetup: ['server/src/testing/servers/global-setup.ts'],
  maxWorkers: CORES + 1,
  // A machine that does other work beside takes several times as long.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  teardownTimeout: 15_000,
};

/** A file computes half of its time, in the browser, the product and its PostgreSQL, and waits for what comes by itself in the other. */
const BROWSER = {
  exclude: ELSEWHERE,
  // To look at a large page costs a browser up to a tenth of a second.
  expect: { poll: { timeout: 120_000, interval: 300 } },
  testTimeout: 400_000,
  hookTimeout: 240_000,
  teardownTimeout: 15_000,
};

export default defineConfig({
  test: {
    pool: 'threads',
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // No test depends on how fast a busy machine is.
    expect: { poll: { timeout: 60_000, interval: 100 } },
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: UNIT, exclude: ELSEWHERE, maxWorkers: CORES, testTimeout: 180_000 },
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
          ...DATABASE,
          name: 'db',
          include: [`${SERVER}.test.ts`],
          exclude: [...ELSEWHERE, ...UNIT, ...PROOF, ...FAULTS, ...EVAL],
          sequence: { groupOrder: 1 },
          provide: { tier: 'everyday' },
        },
      },
      {
        extends: true,
        test: {
          ...BROWSER,
          // Projects of a group go by their names: this one first, beside the database, which fills what it waits for.
          name: 'browser',
          maxWorkers: DATABASE.maxWorkers,
          include: ['e2e/**/*.test.ts'],
          exclude: [...ELSEWHERE, ...BROWSER_PROOF],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...DATABASE,
          name: 'proof',
          include: [...PROOF, ...KITS],
          sequence: { groupOrder: 2 },
          provide: { tier: 'proof' },
        },
      },
      {
        extends: true,
        test: {
          ...BROWSER,
          name: 'browser-proof',
          maxWorkers: CORES + 1,
          include: BROWSER_PROOF,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          ...DATABASE,
          name: 'faults',
          include: FAULTS,
          sequence: { groupOrder: 4 },
          provide: { tier: 'proof' },
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 1_800_000,
        },
      },
      {
        extends: true,
        test: {
          ...DATABASE,
          name: 'eval',
          include: EVAL,
          sequence: { groupOrder: 5 },
          provide: { tier: 'proof' },
        },
      },
    ],
  },
});
