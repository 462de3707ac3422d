// Whether all that was read is stored, through faults, in full: npm run test:faults. Prints what it measured.
import { describe, expect, it } from 'vitest';
import { COUNTERS, FAST_COUNTERS } from '../testing/faults/counters.ts';
import { brokenMidway, datastoreAway, datastoreSilent } from '../testing/faults/fault-scenarios.ts';
import { killedAgainAndAgain, replaced, twoCollectors } from '../testing/faults/process-faults.ts';

const say = (fault: string, figures: object) => {
  process.stdout.write(`${fault} ${JSON.stringify(figures)}\n`);
};

describe('in full', () => {
  it.each([
    ['ten minutes', 600, COUNTERS],
    ['as many readings as there are in an hour', 360, FAST_COUNTERS],
  ] as const)('F1: the datastore is away for %s', async (_name, seconds, probes) => {
    const figures = await datastoreAway(seconds, probes);
    say('F1', figures);
    expect(figures.grown_bytes).toBeLessThan(64 * 1024 * 1024);
    expect(figures.back_ms).toBeLessThan(5000);
    expect(figures.replay_ms).toBeLessThan(seconds * 100 + 5000);
  });

  it('F2: the datastore swallows everything for a minute, and connections lead nowhere', async () => {
    const figures = await datastoreSilent(60);
    say('F2', figures);
    expect(figures.back_ms).toBeLessThan(80_000);
  });

  it('F3: the way to the datastore breaks a hundred times in the middle of batches', () => brokenMidway(100));

  it('F7: the collector is killed fifty times', async () => {
    const figures = await killedAgainAndAgain(50);
    say('F7', figures);
    // With the second that a process needs to start on a machine that has nothing else to do, three seconds at most.
    expect(figures.first_ms).toBeLessThan(2000);
  });

  it('F8: two collectors hand over twenty times', () => twoCollectors(20));

  it.each([
    ['killed', 'SIGKILL', 2000],
    ['frozen', 'SIGSTOP', 10_000],
  ] as const)(
    'F8: a collector that is %s is replaced in time, five times',
    async (_name, signal, most_ms) => {
      for (let round = 0; round < 5; round += 1) {
        const figures = await replaced(signal);
        say(`F8 ${signal}`, figures);
        expect(figures.takeover_ms).toBeLessThan(most_ms);
      }
    },
  );
});
