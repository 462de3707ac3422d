import { describe, expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { type Lookup, sharedLookup } from './lookup.ts';

function resolver() {
  const clock = manualClock(0);
  const asked: string[] = [];
  const answers = new Map<string, (found: readonly string[]) => void>();
  const ask: Lookup = (host) => {
    asked.push(host);
    return new Promise((resolve) => answers.set(host, resolve));
  };
  const lookup = sharedLookup(ask, clock);
  const answer = (host: string) => answers.get(host)?.(['203.0.113.1']);
  return { clock, asked, answer, lookup };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('asking the resolver', () => {
  it('one question serves all who ask at the same time, and no one later', async () => {
    const { asked, answer, lookup } = resolver();
    const both = Promise.all([lookup('a'), lookup('a')]);
    await settle();
    answer('a');
    expect(await both).toEqual([['203.0.113.1'], ['203.0.113.1']]);
    void lookup('a');
    await settle();
    expect(asked).toEqual(['a', 'a']);
  });

  it('names that were slow wait for each other, not for the rest', async () => {
    const { clock, asked, answer, lookup } = resolver();
    const first = [lookup('slow-1'), lookup('slow-2')];
    await settle();
    clock.advance(5000);
    answer('slow-1');
    answer('slow-2');
    await Promise.all(first);
    asked.length = 0;
    void lookup('slow-1');
    void lookup('slow-2');
    const quick = lookup('quick');
    await settle();
    expect(asked).toEqual(['slow-1', 'quick']);
    answer('quick');
    expect(await quick).toEqual(['203.0.113.1']);
    answer('slow-1');
    await settle();
    expect(asked).toEqual(['slow-1', 'quick', 'slow-2']);
  });
});
