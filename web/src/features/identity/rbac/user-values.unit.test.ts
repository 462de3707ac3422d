import { describe, expect, it } from 'vitest';
import { changeBody, createBody, draftOf, NEW_USER, problemsOf } from './user-values.ts';

const GOOD = 'staple giraffe orbit';
const anna = draftOf({
  id: 7,
  username: 'anna',
  display_name: 'Anna Berg',
  email: '',
  enabled: true,
  is_superuser: false,
  is_service_account: false,
  has_second_factor: false,
  groups: [],
});

describe('a new user', () => {
  it.each(['', ' anna', 'anna berg', '-anna', '<img>', 'ann\u202ea'])('is not named %j', (username) => {
    expect(problemsOf({ ...NEW_USER, username, password: GOOD }, true)).toHaveProperty('username');
  });

  it('needs a good password, a service account none', () => {
    expect(problemsOf({ ...NEW_USER, username: 'anna', password: 'short' }, true).password).toMatch(/12/);
    expect(problemsOf({ ...NEW_USER, username: 'anna', password: GOOD }, true)).toEqual({});
    const robot = { ...NEW_USER, username: 'robot', is_service_account: true, password: GOOD };
    expect(problemsOf({ ...robot, password: '' }, true)).toEqual({});
    expect(createBody(robot)).not.toHaveProperty('password');
  });
});

describe('a change', () => {
  it('holds what was changed and nothing else', () => {
    expect(changeBody(anna, anna)).toEqual({});
    const changed = { ...anna, display_name: '', enabled: false, password: GOOD };
    expect(changeBody(changed, anna)).toEqual({ display_name: '', enabled: false, password: GOOD });
  });

  it('asks for a good password only when one was typed', () => {
    expect(problemsOf(anna, false)).toEqual({});
    expect(problemsOf({ ...anna, password: 'short' }, false)).toHaveProperty('password');
  });
});
