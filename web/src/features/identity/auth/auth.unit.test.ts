import { describe, expect, it } from 'vitest';
import { passwordProblem } from './password-rules.ts';
import { safeNext } from './safe-next.ts';

describe('where to go after signing in', () => {
  it.each(['/', '/servers/3?tab=settings', '/servers/3/edit'])('goes to %s', (wanted) =>
    expect(safeNext(wanted)).toBe(wanted),
  );
  it.each([
    null,
    '',
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/sign-in?next=/',
    '/link#mlk_x',
  ])('stays in the house for %j', (wanted) => expect(safeNext(wanted)).toBe('/'));
});

describe('password rules that need no server', () => {
  it.each([
    ['', /Type/],
    ['eleven char', /At least 12/],
    ['x'.repeat(129), /At most 128/],
    ['Administrator', /user name/],
  ])('%j', (password, words) => expect(passwordProblem(password, 'administrator')).toMatch(words));

  it('counts characters, not code units', () => {
    expect(passwordProblem('🐘'.repeat(11), 'me')).toMatch(/this has 11/);
    expect(passwordProblem('🐘'.repeat(12), 'me')).toBeNull();
  });
});
