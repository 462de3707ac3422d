import { describe, expect, it } from 'vitest';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES } from '../../../../server/src/areas/audit/audit-actions.ts';
import { ACTIONS, actionWords, OUTCOMES, pageOf, queryOf } from './audit-words.ts';

const NONE = { range: '', from: '', to: '', actor: '', action: '', outcome: '' };
const NOW = Date.parse('2026-11-20T10:00:00Z');

it('has words for every action and outcome that can be recorded, and for no other', () => {
  expect(Object.keys(ACTIONS).sort()).toEqual(Object.keys(AUDIT_ACTIONS).sort());
  expect(OUTCOMES).toEqual(AUDIT_OUTCOMES);
  expect(actionWords('toString')).toBe('toString');
});

describe('filters', () => {
  it('that say nothing ask for the first page of everything', () => {
    expect(queryOf(NONE, 1, NOW)).toEqual({ limit: 50 });
  });

  it('count a range back from now', () => {
    expect(queryOf({ ...NONE, range: '24h' }, 3, NOW)).toEqual({
      start_time: '2026-11-19T10:00:00.000Z',
      limit: 50,
      offset: 100,
    });
  });

  it('take times of the own choice, as far as they are typed', () => {
    const custom = { ...NONE, range: 'custom', from: '2026-11-01T00:00:00Z', to: '2026-' };
    expect(queryOf({ ...custom, to: 'x' }, 1, NOW)).toEqual({
      start_time: '2026-11-01T00:00:00.000Z',
      limit: 50,
    });
  });

  it('leave out what nobody offers', () => {
    const odd = { ...NONE, range: '9y', outcome: 'maybe', actor: '  ', action: 'group.grant' };
    expect(queryOf(odd, 1, NOW)).toEqual({ action: 'group.grant', limit: 50 });
  });

  it.each([
    ['2', 2],
    ['', 1],
    ['0', 1],
    ['-1', 1],
    ['1e9', 1],
    ['99999999', 1],
  ])('page %j is %d', (text, page) => expect(pageOf(text)).toBe(page));
});
