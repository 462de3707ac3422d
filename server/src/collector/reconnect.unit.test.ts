import { describe, expect, it } from 'vitest';
import { TargetError, type TargetErrorFields } from '../monitored/target-error.ts';
import { Reconnect } from './reconnect.ts';

const failure = (step: TargetErrorFields['step'], code: string) =>
  new TargetError({ step, message: 'No.', code });
const MINUTES_10 = 600_000;

/** The pauses after that many failures in a row, each as long as it may be. */
function pauses(error: TargetError, count: number): number[] {
  const reconnect = new Reconnect();
  let now = 0;
  return Array.from({ length: count }, () => {
    reconnect.failed(error, now, 1);
    const pause = reconnect.at - now;
    now = reconnect.at;
    return pause;
  });
}

describe('what cannot succeed without a change', () => {
  it.each([
    ['a wrong password', failure('sign_in', '28P01')],
    ['no line in pg_hba.conf', failure('sign_in', 'no_hba_entry')],
    ['no such database', failure('database', '3D000')],
    ['no right to connect', failure('permission', '42501')],
    ['no password stored', failure('sign_in', 'password_needed')],
    ['something else than PostgreSQL', failure('protocol', 'bad_message')],
  ])('%s is tried ever less often, up to every 10 minutes', (_, error) => {
    const all = pauses(error, 12);
    expect(all.slice(0, 4)).toEqual([5000, 10_000, 20_000, 40_000]);
    expect(all.at(-1)).toBe(MINUTES_10);
    // An hour of a wrong password is a dozen lines in the server's log.
    const hour = all.filter((_pause, index) => all.slice(0, index).reduce((a, b) => a + b, 0) < 3_600_000);
    expect(hour.length).toBeLessThanOrEqual(12);
  });

  it.each([
    ['no free connection', failure('sign_in', '53300')],
    ['a server that starts', failure('sign_in', '57P03')],
    ['nobody there', failure('connect', 'ECONNREFUSED')],
    ['silence', failure('timeout', 'connect_timeout')],
  ])('%s passes, and is tried once a minute', (_, error) => {
    expect(pauses(error, 12).at(-1)).toBe(60_000);
  });

  it('is tried at once when somebody asks, or edits the connection', () => {
    const reconnect = new Reconnect();
    for (let n = 0; n < 8; n += 1) reconnect.failed(failure('sign_in', '28P01'), 0, 1);
    reconnect.hurry();
    expect([reconnect.at, reconnect.failures]).toEqual([0, 8]);
    reconnect.reset();
    expect(reconnect.failures).toBe(0);
  });
});

describe('a server that breaks sessions', () => {
  const error = failure('protocol', 'reply_too_large');

  /** The server broke a session with that probe's answer; says whether it rests now. */
  function broke(reconnect: Reconnect, probe: string, { now = 0, database_name = '' } = {}): boolean {
    reconnect.note({ error, probe, database_name });
    return reconnect.rest(now, 1)?.error === error;
  }

  it('rests when one statement after another breaks, with growing pauses', () => {
    const reconnect = new Reconnect();
    expect(broke(reconnect, 'a')).toBe(false);
    expect(broke(reconnect, 'b', { now: 1000 })).toBe(true);
    expect(reconnect.at).toBe(6000);
    // A session that lasted does not shorten the pause.
    reconnect.lost(60_000, 2000, 1);
    expect(reconnect.at).toBe(6000);
    let now = reconnect.at;
    for (let n = 0; n < 12; n += 1) {
      broke(reconnect, `p${n}`, { now });
      now = reconnect.at;
    }
    broke(reconnect, 'a', { now });
    expect(reconnect.at - now).toBe(MINUTES_10);
  });

  it('goes on when it is always the same statement, whose own pauses grow', () => {
    const reconnect = new Reconnect();
    for (let n = 0; n < 5; n += 1) expect(broke(reconnect, 'a', { now: n, database_name: 'db' })).toBe(false);
    expect(broke(reconnect, 'a', { now: 10, database_name: 'other' })).toBe(true);
  });

  it('rests at once when it broke one that was asked nothing, and is forgiven in time', () => {
    const reconnect = new Reconnect();
    expect(broke(reconnect, '')).toBe(true);
    expect(broke(reconnect, 'a', { now: 21 * 60_000 })).toBe(false);
  });
});

it('counts no outage of a server that was told to stop before it had time to start again', () => {
  const reconnect = new Reconnect();
  const refused = failure('connect', 'ECONNREFUSED');
  reconnect.ended({ code: '57P01' }, 1000);
  for (const now of [2000, 3000, 5000, 9000]) reconnect.failed(refused, now, 0);
  expect(reconnect.counted(20_999)).toBe(2);
  expect(reconnect.counted(21_000)).toBe(4);
  // One that was killed is gone at once.
  reconnect.reset();
  reconnect.ended({ code: '57P02' }, 30_000);
  for (const now of [31_000, 32_000, 33_000]) reconnect.failed(refused, now, 0);
  expect(reconnect.counted(33_000)).toBe(3);
});
