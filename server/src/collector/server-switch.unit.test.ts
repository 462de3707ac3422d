// Another server behind the same address, and a restart of the same one.
import { expect, it } from 'vitest';
import { ServerSwitch } from './server-switch.ts';

const MINUTE = 60_000;

/** When the second one answered as another server; the first one was started at 0 and answered until then. */
function switchedAt(first: string, second: { system: string; started: number }, at: number) {
  const noted = new ServerSwitch();
  noted.met({ system: first, started_at: 0 }, MINUTE);
  noted.answered(at - 1000);
  noted.met({ system: second.system, started_at: second.started }, at);
  return noted.at;
}

it.each([
  ['another system', '1', { system: '2', started: 100 * MINUTE }, true],
  ['the same that was never restarted', '1', { system: '1', started: 0 }, false],
  ['the same after a restart', '1', { system: '1', started: 100 * MINUTE - 500 }, false],
  [
    'the same after a restart, with a clock that is late',
    '1',
    { system: '1', started: 99.5 * MINUTE },
    false,
  ],
  ['a copy that was started earlier', '1', { system: '1', started: -MINUTE }, true],
  [
    'a copy that was started while the first one still answered',
    '1',
    { system: '1', started: 50 * MINUTE },
    true,
  ],
  [
    'one that hides what it is, started while the first one still answered',
    '',
    { system: '', started: 9 },
    true,
  ],
  ['one that hides what it is, after a restart', '1', { system: '', started: 100 * MINUTE }, false],
] as const)('%s', (...[, first, second, isSwitch]) => {
  expect(switchedAt(first, second, 100 * MINUTE)).toBe(isSwitch ? 100 * MINUTE : undefined);
});

it('takes a restart for one although the clock of the server is an hour behind, as it says itself', () => {
  const noted = new ServerSwitch();
  const ahead_ms = -60 * MINUTE;
  noted.met({ system: '1', started_at: ahead_ms, ahead_ms }, MINUTE);
  noted.answered(100 * MINUTE);
  noted.met({ system: '1', started_at: 101 * MINUTE + ahead_ms, ahead_ms }, 102 * MINUTE);
  expect(noted.at).toBeUndefined();
});

it('keeps the newest switch', () => {
  const noted = new ServerSwitch();
  expect(noted.met({ system: '1', started_at: 0 }, 1)).toBe(false);
  expect(noted.at).toBeUndefined();
  expect(noted.met({ system: '2', started_at: 0 }, 2)).toBe(true);
  expect(noted.met({ system: '2', started_at: 0 }, 3)).toBe(false);
  expect(noted.at).toBe(2);
  // Soon after: the switch counts, but not everything is read anew.
  expect(noted.met({ system: '1', started_at: 0 }, 4)).toBe(false);
  expect(noted.at).toBe(4);
  expect(noted.met({ system: '2', started_at: 0 }, 5 * MINUTE + 4)).toBe(true);
});
