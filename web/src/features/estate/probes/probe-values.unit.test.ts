import { describe, expect, it } from 'vitest';
import { changedMembers, draftOf, leastSeconds, problemsOf, valuesOf } from './probe-values.ts';

const BUILT = { is_enabled: true, collection_interval_seconds: 300, retention_days: 7 };

describe('the draft of what a probe is set to', () => {
  it('comes back as it was', () => {
    expect(valuesOf(draftOf(BUILT))).toEqual(BUILT);
  });

  it('may be as frequent as every second where the probe is built to run more often than others may', () => {
    const draft = draftOf({ ...BUILT, collection_interval_seconds: 1 });
    expect(draft.interval).toBe('1');
    expect(problemsOf(draft, leastSeconds({ ...BUILT, collection_interval_seconds: 1 }))).toEqual({});
    expect(problemsOf(draft, leastSeconds(BUILT))).toEqual({
      interval: 'A whole number of seconds from 5 to 86,400 (a day).',
    });
  });

  it.each([
    ['5', '1', []],
    ['86400', '3650', []],
    [' 60 ', ' 7 ', []],
    ['4', '7', ['interval']],
    ['86401', '7', ['interval']],
    ['5.5', '7', ['interval']],
    ['', '7', ['interval']],
    ['1e3', '7', ['interval']],
    ['60', '0', ['retention']],
    ['60', '3651', ['retention']],
    ['-60', 'a week', ['interval', 'retention']],
  ])('%j seconds and %j days: wrong are %j', (interval, retention, wrong) => {
    expect(Object.keys(problemsOf({ is_enabled: true, interval, retention }, 5))).toEqual(wrong);
  });

  it('sends only what was edited', () => {
    const initial = draftOf({ ...BUILT, collection_interval_seconds: 1 });
    expect(changedMembers(initial, initial)).toEqual({});
    expect(changedMembers({ ...initial, retention: '14' }, initial)).toEqual({ retention_days: 14 });
    expect(changedMembers({ ...initial, is_enabled: false, interval: '60' }, initial)).toEqual({
      is_enabled: false,
      collection_interval_seconds: 60,
    });
  });
});
