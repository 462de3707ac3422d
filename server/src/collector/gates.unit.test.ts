import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sleep, systemClock } from '../kernel/clock.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { ConnectGate, Semaphore, ServerSessions } from './gates.ts';

const never = new AbortController().signal;

describe('connects', () => {
  it('are spaced after a burst', async () => {
    const gate = new ConnectGate({ perSecond: 100, clock: systemClock, burst: 5 });
    const start = systemClock.monotonic();
    await Promise.all(Array.from({ length: 25 }, () => gate.enter(never)));
    expect(systemClock.monotonic() - start).toBeGreaterThan(180);
  });

  it('of further databases wait while there is no room for what they would bring, those of servers not as long', async () => {
    let isCrowded = true;
    const gate = new ConnectGate({ perSecond: 1000, clock: systemClock, isCrowded: () => isCrowded });
    const order: string[] = [];
    const enter = (name: string, priority: 'first' | 'later') =>
      gate.enter(never, priority).then(() => order.push(name));
    await gate.enter(never);
    const database = enter('database', 'later');
    await Promise.all([enter('one', 'first'), enter('two', 'first')]);
    expect(order).toEqual(['one', 'two']);
    isCrowded = false;
    await database;
    expect(order).toEqual(['one', 'two', 'database']);
  });

  it('of further databases go one by one for as long as there is no room', async () => {
    const gate = new ConnectGate({ perSecond: 1000, clock: systemClock, isCrowded: () => true });
    await gate.enter(never);
    await gate.enter(never, 'later');
  });

  it('of servers go one by one for as long as there is no room', async () => {
    const gate = new ConnectGate({ perSecond: 1000, clock: systemClock, isCrowded: () => true });
    const start = systemClock.monotonic();
    for (let n = 0; n < 4; n += 1) await gate.enter(never);
    expect(systemClock.monotonic() - start).toBeGreaterThan(550);
  });

  it('of servers that failed come after the others, and one that is given up does not hold the line', async () => {
    const clock = manualClock(0);
    const gate = new ConnectGate({ perSecond: 100, clock, burst: 1 });
    await gate.enter(never);
    // Nobody else may go before the time moves on.
    const gone = new AbortController();
    const order: string[] = [];
    const enter = (name: string, priority: 'first' | 'later', signal = never) =>
      gate.enter(signal, priority).then(() => order.push(name));
    const all = [
      enter('given up', 'first', gone.signal),
      enter('failed', 'later'),
      enter('one', 'first'),
      enter('two', 'first'),
    ];
    gone.abort();
    let isOver = false;
    const done = Promise.all(all).then(() => {
      isOver = true;
    });
    while (!isOver) {
      clock.advance(10);
      await sleep(5);
    }
    await done;
    expect(order).toEqual(['given up', 'one', 'two', 'failed']);
  });
});

describe('places', () => {
  it('are not given on while it is not the server that takes so long', async () => {
    let isOurs = true;
    const semaphore = new Semaphore(1, 20, () => isOurs);
    let isNext = false;
    await semaphore.enter();
    const next = semaphore.enter().then(() => {
      isNext = true;
    });
    await sleep(100);
    expect(isNext).toBe(false);
    isOurs = false;
    await next;
    expect(isNext).toBe(true);
  });

  it('are taken in turn, and given on when kept too long', async () => {
    const semaphore = new Semaphore(1, 20);
    const order: string[] = [];
    const first = await semaphore.enter();
    const second = semaphore.enter().then((permit) => {
      order.push('second');
      return permit;
    });
    const third = semaphore.enter().then(() => order.push('third'));
    (await second).leave();
    await third;
    expect(order).toEqual(['second', 'third']);
    first.leave();
    first.leave();
  });
});

it('a place is given on later while it is our own work that keeps it, but not for ever', async () => {
  const semaphore = new Semaphore(1, 1, (keptMs) => keptMs < 60);
  const began = performance.now();
  await semaphore.enter();
  (await semaphore.enter()).leave();
  expect(performance.now() - began).toBeGreaterThan(50);
});

describe('places that some may wait for longer', () => {
  it('go to one of those after four of the others', async () => {
    const semaphore = new Semaphore(1);
    const order: string[] = [];
    const come = async (name: string, priority: 'first' | 'later') => {
      const permit = await semaphore.enter(priority);
      order.push(name);
      permit.leave();
    };
    const kept = await semaphore.enter();
    const all = ['a', 'b'].map((name) => come(name, 'later'));
    all.push(...Array.from({ length: 6 }, (_, n) => come(String(n), 'first')));
    kept.leave();
    await Promise.all(all);
    expect(order).toEqual(['0', '1', '2', '3', 'a', '4', '5', 'b']);
  });

  it('say how long somebody waits already', async () => {
    const semaphore = new Semaphore(1);
    const kept = await semaphore.enter();
    expect(semaphore.longestWaitMs).toBe(0);
    const later = semaphore.enter('later');
    await sleep(30);
    const first = semaphore.enter();
    expect(semaphore.longestWaitMs).toBeGreaterThan(20);
    kept.leave();
    (await first).leave();
    (await later).leave();
    expect(semaphore.longestWaitMs).toBe(0);
  });

  it('go to them at once where nobody else waits', async () => {
    const semaphore = new Semaphore(1);
    const kept = await semaphore.enter('later');
    const next = semaphore.enter('later');
    kept.leave();
    (await next).leave();
    (await semaphore.enter()).leave();
  });
});

describe('places that may be kept for a shorter time the more others wait', () => {
  it('are kept as long as they may be by whoever comes alone', async () => {
    const semaphore = new Semaphore(1, (waiting) => (waiting < 3 ? Number.POSITIVE_INFINITY : 1));
    await semaphore.enter();
    let entered = 0;
    const come = () =>
      semaphore.enter().then((permit) => {
        entered += 1;
        return permit;
      });
    const [first, second] = [come(), come()];
    await sleep(50);
    expect(entered).toBe(0);
    // The third makes the place go on to the first, for whom two wait.
    const third = come();
    const permit = await first;
    await sleep(50);
    expect(entered).toBe(1);
    permit.leave();
    permit.leave();
    (await second).leave();
    await third;
    expect(entered).toBe(3);
  });

  it('set no timer while nobody waits', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const semaphore = new Semaphore(2, 1000);
    for (let n = 0; n < 5; n += 1) (await semaphore.enter()).leave();
    expect(timers).not.toHaveBeenCalled();
  });
});

describe('sessions of one server', () => {
  it('are kept by eight connections; the others take turns', async () => {
    const sessions = new ServerSessions();
    const kept = Array.from({ length: 10 }, (_, id) => sessions.mayKeep('server', id));
    expect(kept).toEqual([...Array(8).fill(true), false, false]);
    expect(sessions.mayKeep('other', 1)).toBe(true);
    sessions.leave('server', 3);
    expect([sessions.mayKeep('server', 9), sessions.mayKeep('server', 8)]).toEqual([true, false]);
    const guests = [await sessions.enterAsGuest('server'), await sessions.enterAsGuest('server')];
    let third = false;
    const waiting = sessions.enterAsGuest('server').then(() => {
      third = true;
    });
    await Promise.resolve();
    expect(third).toBe(false);
    guests[0]?.leave();
    await waiting;
    expect(third).toBe(true);
  });

  it('are forgotten with their last connection', () => {
    const sessions = new ServerSessions();
    for (const id of [1, 2]) sessions.mayKeep('server', id);
    sessions.leave('server', 1);
    expect(sessions.kept).toEqual([1]);
    sessions.leave('server', 2);
    expect(sessions.kept).toEqual([]);
  });
});
