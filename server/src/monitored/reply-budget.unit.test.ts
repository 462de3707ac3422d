import { describe, expect, it } from 'vitest';
import { ReplyBudget } from './reply-budget.ts';

const SMALL = 64 * 1024;
const MB = 1024 * 1024;

/** A budget of 4 MB, and connections that remember what it did to them. */
function setUp() {
  let now = 0;
  const budget = new ReplyBudget({ totalBytes: 4 * MB, clock: { monotonic: () => now } });
  const connection = () => {
    const state = { isPaused: false, isGivenUp: false, isReceiving: true };
    const hold = budget.open({
      pause: () => {
        state.isPaused = true;
      },
      resume: () => {
        state.isPaused = false;
      },
      isReceiving: () => state.isReceiving,
      giveUp: () => {
        state.isGivenUp = true;
        hold.close();
      },
    });
    return { hold, state };
  };
  const pass = (ms: number) => {
    now += ms;
    budget.look();
  };
  return { budget, connection, pass };
}

describe('the budget of answers', () => {
  it('lets one after another go on when there is no room for all', () => {
    const { budget, connection } = setUp();
    const [first, second, third] = [connection(), connection(), connection()];
    for (const { hold } of [first, second, third]) hold.set(MB);
    second.hold.set(3 * MB);
    expect([first, second, third].map(({ state }) => state.isPaused)).toEqual([false, true, false]);
    // The first may go on whatever the others hold, so that somebody always ends.
    first.hold.set(8 * MB);
    third.hold.set(MB + 1);
    expect([first, second, third].map(({ state }) => state.isPaused)).toEqual([false, true, true]);
    expect(budget.held).toBe(12 * MB + 1);
    first.hold.set(0);
    // Now the second is the first, and there is still too little room for both.
    expect([second, third].map(({ state }) => state.isPaused)).toEqual([false, true]);
    second.hold.set(2 * MB);
    expect(third.state.isPaused).toBe(false);
    for (const { hold } of [second, third]) hold.close();
    expect([budget.held, budget.waiting]).toEqual([0, 0]);
    expect(budget.takePeak()).toBe(12 * MB + 1);
  });

  it('never holds up a small answer', () => {
    const { connection } = setUp();
    const [large, larger, small] = [connection(), connection(), connection()];
    large.hold.set(4 * MB);
    larger.hold.set(4 * MB);
    small.hold.set(SMALL);
    expect([larger, small].map(({ state }) => state.isPaused)).toEqual([true, false]);
    for (const { hold } of [large, larger, small]) hold.close();
  });

  it('gives up who drips while others wait, and nobody else', () => {
    const { budget, connection, pass } = setUp();
    const [dripping, waiting, done] = [connection(), connection(), connection()];
    done.state.isReceiving = false;
    dripping.hold.set(3 * MB);
    done.hold.set(MB);
    pass(10_000);
    expect(dripping.state.isGivenUp).toBe(false);
    waiting.hold.set(MB);
    pass(1000);
    expect([dripping, waiting, done].map(({ state }) => state.isGivenUp)).toEqual([true, false, false]);
    expect([waiting.state.isPaused, budget.held]).toEqual([false, 2 * MB]);
    // Whoever had to wait has its time from then on.
    dripping.hold.set(MB);
    pass(2000);
    expect(waiting.state.isGivenUp).toBe(false);
    for (const { hold } of [waiting, done]) hold.close();
  });

  it('counts nothing of a connection that is over', () => {
    const { budget, connection } = setUp();
    const { hold } = connection();
    hold.close();
    hold.set(MB);
    expect(budget.held).toBe(0);
  });
});
