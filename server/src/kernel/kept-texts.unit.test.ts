import { describe, expect, it } from 'vitest';
import { KeptTexts } from './kept-texts.ts';

describe('kept texts', () => {
  it('are found with the state that they were made of, the newest of each', () => {
    const texts = new KeptTexts<number>(1000);
    texts.keep(1, 'a', 'first');
    expect(texts.find(1)).toEqual({ state: 'a', text: 'first' });
    expect(texts.find(2)).toBeUndefined();
    texts.keep(1, 'b', 'second');
    expect(texts.find(1)).toEqual({ state: 'b', text: 'second' });
    expect(texts.size).toBe(1);
  });

  it('stay within their size, and those made longest ago go first', () => {
    const texts = new KeptTexts<number>(100);
    for (const key of [1, 2, 3]) texts.keep(key, 's', 'x'.repeat(39));
    expect(texts.find(1)).toBeUndefined();
    expect(texts.find(2)?.text).toHaveLength(39);
    // Made anew, it is the newest.
    texts.keep(2, 's', 'y'.repeat(39));
    texts.keep(4, 's', 'x'.repeat(39));
    expect(texts.find(3)).toBeUndefined();
    expect(texts.find(2)?.text).toHaveLength(39);
    expect(texts.size).toBe(2);
  });

  it('keep nothing that is too large by itself', () => {
    const texts = new KeptTexts<number>(100);
    texts.keep(1, 's', 'x'.repeat(200));
    expect(texts.size).toBe(0);
    texts.keep(2, 's', 'x'.repeat(99));
    expect(texts.find(2)?.text).toHaveLength(99);
  });
});
