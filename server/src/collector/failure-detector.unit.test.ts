// Who is called dead, and who is left alone.
import { describe, expect, it } from 'vitest';
import { FailureDetector, MISSING_MS, type Other, SETTLE_MS } from './failure-detector.ts';

const other = (over: Partial<Other> = {}): Other => ({
  owner: 'a',
  is_held: true,
  expires_at: '1',
  is_over: false,
  ...over,
});
const gone = (over: Partial<Other> = {}) => other({ is_held: false, ...over });

/** One that has looked around for long enough. */
function settled(proven?: string): { absences: FailureDetector; at: number } {
  const absences = new FailureDetector(proven);
  absences.begin(0);
  return { absences, at: SETTLE_MS };
}

describe('a collector', () => {
  it('whose session has gone is dead once it has been missing for a while', () => {
    const { absences, at } = settled();
    expect(absences.judge([other()], at)).toEqual([]);
    expect(absences.judge([gone()], at + 400)).toEqual([]);
    expect(absences.judge([gone()], at + 400 + MISSING_MS - 1)).toEqual([]);
    expect(absences.judge([gone()], at + 400 + MISSING_MS)).toEqual(['a']);
  });

  it('that opens another session in between is alive, and missing anew afterwards', () => {
    const { absences, at } = settled();
    absences.judge([other()], at);
    absences.judge([gone()], at);
    absences.judge([other()], at + MISSING_MS - 1);
    expect(absences.judge([gone()], at + MISSING_MS)).toEqual([]);
    expect(absences.judge([gone()], at + 2 * MISSING_MS)).toEqual(['a']);
  });

  it('that finds no session but says that it lives is left alone', () => {
    const { absences, at } = settled();
    absences.judge([other()], at);
    for (let word = 0; word < 20; word += 1)
      expect(absences.judge([gone({ expires_at: `${word}` })], at + 300 * word)).toEqual([]);
  });

  it('that never had a lock is left to the end of its lease', () => {
    const { absences, at } = settled();
    absences.judge([gone()], at);
    expect(absences.judge([gone()], at + 60_000)).toEqual([]);
    expect(absences.judge([gone({ is_over: true })], at + 60_400)).toEqual(['a']);
  });

  it('that was forgotten meanwhile has to be seen with a lock again', () => {
    const { absences, at } = settled();
    absences.judge([other()], at);
    absences.judge([], at + 400);
    absences.judge([gone()], at + 800);
    expect(absences.judge([gone()], at + 60_000)).toEqual([]);
  });

  it('that keeps its session open is alive, however late its word is', () => {
    const { absences, at } = settled();
    expect(absences.judge([other({ is_over: true })], at)).toEqual([]);
  });
});

describe('whoever has just come back', () => {
  it('judges nobody, for all sessions may have gone with the datastore', () => {
    const { absences, at } = settled();
    absences.judge([other(), other({ owner: 'b' })], at);
    const back = at + 10_000;
    absences.begin(back);
    const all = [gone({ is_over: true }), gone({ owner: 'b' })];
    for (let now = back; now < back + SETTLE_MS; now += 400) expect(absences.judge(all, now)).toEqual([]);
    expect(absences.judge(all, back + SETTLE_MS)).toEqual(['a', 'b']);
  });

  it('knows at once of the one whose place it has taken, unless that one has a session all the same', () => {
    const absences = new FailureDetector('a');
    absences.begin(0);
    expect(absences.judge([other(), gone({ owner: 'b' })], 0)).toEqual([]);
    expect(absences.judge([gone(), gone({ owner: 'b' })], 1)).toEqual(['a']);
  });
});
