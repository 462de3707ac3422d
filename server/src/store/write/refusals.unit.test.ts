import { expect, it } from 'vitest';
import { isRefusal, stateOf } from './refusals.ts';

const error = (message: string, code: string) => Object.assign(new Error(message), { code });

it.each([
  ['duplicate key value violates unique constraint "pg_locks_d20260101_pkey_102009"', '23505'],
  ['no partition of relation "pg_locks_102008" found for row', '23514'],
  ['new row for relation "pg_locks_d20260101_102009" violates partition constraint', '23514'],
  ['null value in column "row_no" of relation "pg_locks_102008" violates not-null constraint', '23502'],
])('an internal error of Citus that says %s is %s', (message, state) => {
  expect(stateOf(error(message, 'XX000'))).toBe(state);
  expect(isRefusal(error(message, 'XX000'))).toBe(true);
});

it('other internal errors are none of the data, and states are as the server says them', () => {
  expect(isRefusal(error('could not read block 7', 'XX000'))).toBe(false);
  expect(stateOf(error('could not read block 7', 'XX000'))).toBe('XX000');
  expect(stateOf(error('duplicate key value violates unique constraint "x"', '57P01'))).toBe('57P01');
  expect(isRefusal(error('invalid byte sequence', '22021'))).toBe(true);
});
