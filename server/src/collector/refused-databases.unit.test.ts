import { expect, it } from 'vitest';
import { HOUR_MS } from '../kernel/units.ts';
import { TargetError } from '../monitored/connect.ts';
import { RefusedDatabases } from './refused-databases.ts';

const rejected = new TargetError({ step: 'sign_in', message: 'A reject line.', code: 'hba_reject' });

it('waits hours, ever longer, and starts anew once it was let in', () => {
  const refused = new RefusedDatabases();
  const waits = Array.from({ length: 5 }, () => (refused.failed('closed', rejected) ?? 0) / HOUR_MS);
  expect(waits).toEqual([1, 2, 4, 6, 6]);
  refused.entered('closed');
  expect(refused.failed('closed', rejected)).toBe(HOUR_MS);
});

it('leaves what passes by itself to others', () => {
  const refused = new RefusedDatabases();
  for (const [step, code] of [
    ['sign_in', '53300'],
    ['connect', 'ECONNRESET'],
    ['protocol', 'reply_too_large'],
  ] as const)
    expect(refused.failed('busy', new TargetError({ step, message: '', code }))).toBeUndefined();
  expect(refused.loaded('later')).toEqual([]);
});

it('tries again what was refused once the configuration is loaded anew', () => {
  const refused = new RefusedDatabases();
  expect(refused.loaded('10:00')).toEqual([]);
  refused.failed('closed', rejected);
  expect(refused.loaded('10:00')).toEqual([]);
  expect(refused.loaded('11:00')).toEqual(['closed']);
});
