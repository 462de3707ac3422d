// How long reading of a log rests after a look, and what a flood may cost a server.
import { expect, it } from 'vitest';
import { LookRest } from './look-rest.ts';

const LOOK = { began: 0, ended: 300, took_ms: 10, isFollowed: false, isBehind: false, pause_ms: 5000 };

it('is the pause, or longer by what the look took the server', () => {
  const rest = new LookRest();
  expect(rest.after(LOOK)).toBe(5000);
  expect(rest.after({ ...LOOK, took_ms: 100 })).toBe(20_000);
  expect(rest.after({ ...LOOK, took_ms: 100, isFollowed: true, pause_ms: 1000 })).toBe(2000);
  expect(rest.after({ ...LOOK, took_ms: 60_000 })).toBe(600_000);
});

it('is short where much is unread, as long as the allowance of the server lasts', () => {
  const rest = new LookRest();
  const behind = { ...LOOK, took_ms: 200, isBehind: true };
  expect(rest.after({ ...behind, ended: 1500 })).toBe(1500);
  let looks = 1;
  while (rest.after(behind) === 800) looks += 1;
  // Ten seconds of the server.
  expect(looks).toBe(49);
  expect(rest.after(behind)).toBe(40_000);
});

it('saves a thousandth of a core, and no more than ten seconds', () => {
  const rest = new LookRest();
  let at = 0;
  let took = 0;
  const behind = (hours: number) => {
    at += hours * 3_600_000;
    let short = 0;
    for (;;) {
      const pause = rest.after({ ...LOOK, began: at, ended: at, took_ms: 100, isBehind: true });
      took += 100;
      if (pause > 400) return short;
      short += 1;
      at += pause;
    }
  };
  expect(behind(0)).toBe(100);
  const spent = took;
  expect(behind(1)).toBeGreaterThan(30);
  behind(1);
  expect((took - spent) / (2 * 3_600_000)).toBeLessThan(0.0011);
  expect(behind(1000)).toBe(100);
});
