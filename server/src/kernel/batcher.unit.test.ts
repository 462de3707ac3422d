import { describe, expect, it } from 'vitest';
import { Batcher } from './batcher.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that goes on when it is told to. */
function held() {
  const runs: { asked: readonly number[]; go: PromiseWithResolvers<void> }[] = [];
  const together = new Batcher(async (asked: readonly number[]) => {
    const go = Promise.withResolvers<void>();
    runs.push({ asked, go });
    await go.promise;
    return asked.map((one) => one * 10);
  });
  return { runs, together };
}

describe('Together', () => {
  it('answers those who ask in one turn at once, each with its own', async () => {
    const { runs, together } = held();
    const answers = Promise.all([together.ask('a', 1), together.ask('a', 2), together.ask('b', 3)]);
    await turn();
    expect(runs.map(({ asked }) => asked)).toEqual([[1, 2], [3]]);
    for (const { go } of runs) go.resolve();
    expect(await answers).toEqual([10, 20, 30]);
  });

  it('gives nobody an answer whose making began before they asked', async () => {
    const { runs, together } = held();
    const first = together.ask('a', 1);
    await turn();
    const late = Promise.all([together.ask('a', 2), together.ask('a', 3)]);
    await turn();
    expect(runs).toHaveLength(1);
    runs[0]?.go.resolve();
    expect(await first).toBe(10);
    await turn();
    expect(runs[1]?.asked).toEqual([2, 3]);
    runs[1]?.go.resolve();
    expect(await late).toEqual([20, 30]);
    const again = together.ask('a', 4);
    await turn();
    runs[2]?.go.resolve();
    expect(await again).toBe(40);
  });

  it('fails for those who waited, and works again', async () => {
    const { runs, together } = held();
    const failing = Promise.allSettled([together.ask('a', 1), together.ask('a', 2)]);
    await turn();
    runs[0]?.go.reject(new Error('away'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = together.ask('a', 3);
    await turn();
    runs[1]?.go.resolve();
    expect(await again).toBe(30);
  });

  it('leaves nobody waiting who got no answer', async () => {
    const together = new Batcher(async (asked: readonly number[]) => asked.slice(1));
    const all = await Promise.allSettled([together.ask('a', 1), together.ask('a', 2)]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
