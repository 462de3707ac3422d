import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlertState, type Condition, judge, meets, type Open, type Reading } from './judge.service.ts';

const condition: Condition = { operator: '>', threshold: 80, severity: 'warning', lastsSeconds: 0 };
const at = (second: number, value: number | null): Reading => ({ at: second * 1000, value });
const open = (change: Partial<Open> = {}): AlertState => ({
  open: { severity: 'warning', operator: '>', threshold: 80, sampledAt: 10_000, wellSamples: 0, ...change },
});

describe('a sample', () => {
  it.each([
    ['>', [false, false, true]],
    ['>=', [false, true, true]],
    ['<', [true, false, false]],
    ['<=', [true, true, false]],
    ['==', [false, true, false]],
    ['!=', [true, false, true]],
  ] as const)('of 79, 80 and 81 meets %s 80: %j', (operator, expected) => {
    expect([79, 80, 81].map((value) => meets(value, { operator, threshold: 80 }))).toEqual(expected);
  });

  it('fires at once when nothing has to last', () => {
    expect(judge(at(1, 81), condition, {})).toBe('fired');
    expect(judge(at(1, 80), condition, {})).toBe('nothing');
  });

  it('neither fires nor clears when nobody knows its value', () => {
    expect(judge(at(11, null), { ...condition, operator: '!=' }, {})).toBe('nothing');
    expect(judge(at(11, null), condition, open({ wellSamples: 1 }))).toBe('nothing');
  });

  it('of which only the least is known tells what holds of any more as well', () => {
    const least = (second: number, value: number): Reading => ({ ...at(second, value), isAtLeast: true });
    const below: Condition = { ...condition, operator: '<' };
    const openBelow = open({ operator: '<', wellSamples: 1 });
    expect(judge(least(11, 81), condition, {})).toBe('fired');
    expect(judge(least(11, 79), condition, open({ wellSamples: 1 }))).toBe('nothing');
    expect(judge(least(11, 79), below, {})).toBe('nothing');
    expect(judge(least(11, 79), below, openBelow)).toBe('nothing');
    expect(judge(least(11, 80), below, openBelow)).toBe('cleared');
    expect(judge(least(11, 80), { ...condition, operator: '==' }, {})).toBe('nothing');
  });

  it('counts once', () => {
    expect(judge(at(10, 95), condition, open())).toBe('nothing');
    expect(judge(at(10, 1), condition, open({ wellSamples: 1 }))).toBe('nothing');
  });

  it('clears an alert when it is the second in a row that does not meet the condition', () => {
    expect(judge(at(11, 80), condition, open())).toBe('recovering');
    expect(judge(at(12, 80), condition, open({ wellSamples: 1 }))).toBe('cleared');
    expect(judge(at(12, 90), condition, open({ wellSamples: 1 }))).toBe('firing');
  });

  it('counts as well when what it was about is gone', () => {
    const gone: Reading = { at: 12_000, value: null, isGone: true };
    expect(judge(gone, condition, open())).toBe('recovering');
    expect(judge(gone, condition, open({ wellSamples: 1 }))).toBe('cleared');
    expect(judge(gone, condition, {})).toBe('nothing');
  });
});

describe('a condition that has to last', () => {
  const lasting = { ...condition, lastsSeconds: 300 };
  it('is pending until it has, and starts anew after a sample that does not meet it', () => {
    expect(judge(at(0, 90), lasting, {})).toBe('pending');
    const pending = { since: 0, sampledAt: 0 };
    expect(judge(at(0, 90), lasting, { pending })).toBe('nothing');
    expect(judge(at(299, 90), lasting, { pending })).toBe('pending');
    expect(judge(at(300, 90), lasting, { pending })).toBe('fired');
    expect(judge(at(200, 70), lasting, { pending })).toBe('ended');
    expect(judge(at(200, null), lasting, { pending })).toBe('nothing');
  });
});

describe('what keeps quiet', () => {
  it('is held in a blackout and for five minutes after an alert, unless it is more severe', () => {
    expect(judge(at(1, 90), condition, { isSuppressed: true })).toBe('suppressed');
    expect(judge(at(1, 90), condition, { silent: 'warning' })).toBe('suppressed');
    expect(judge(at(1, 90), condition, { silent: 'critical' })).toBe('suppressed');
    expect(judge(at(1, 90), { ...condition, severity: 'critical' }, { silent: 'warning' })).toBe('fired');
  });

  it('leaves open alerts as they are', () => {
    expect(judge(at(11, 90), condition, { ...open(), isSuppressed: true })).toBe('firing');
    expect(judge(at(12, 70), condition, { ...open({ wellSamples: 1 }), isSuppressed: true })).toBe('cleared');
  });
});

describe('another setting', () => {
  it('is judged by the sample that is known', () => {
    expect(judge(at(10, 95), { ...condition, threshold: 99 }, open())).toBe('cleared');
    expect(judge(at(10, 95), { ...condition, threshold: 90 }, open())).toBe('firing');
    expect(judge(at(10, 95), { ...condition, severity: 'critical' }, open())).toBe('firing');
  });
});

it('whatever the samples, an alert fires on one that meets the condition and clears on the second in a row that does not', () => {
  const values = fc.array(fc.option(fc.integer({ min: 0, max: 160 }), { nil: null }), { maxLength: 60 });
  fc.assert(
    fc.property(values, (samples) => {
      let known: AlertState = {};
      let well = 0;
      let isOpen = false;
      for (const [n, value] of samples.entries()) {
        const verdict = judge(at(n, value), condition, known);
        if (value === null) {
          expect(verdict).toBe('nothing');
          continue;
        }
        const isMet = value > 80;
        well = isMet ? 0 : well + 1;
        const expected = isOpen
          ? isMet
            ? 'firing'
            : well >= 2
              ? 'cleared'
              : 'recovering'
          : isMet
            ? 'fired'
            : 'nothing';
        expect(verdict).toBe(expected);
        if (verdict === 'fired') isOpen = true;
        if (verdict === 'cleared') isOpen = false;
        known = isOpen ? open({ sampledAt: n * 1000, wellSamples: well }) : {};
      }
    }),
  );
});
