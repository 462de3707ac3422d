import { describe, expect, it } from 'vitest';
import { AUDIT_OUTCOMES } from '../../../../../server/src/identity/audit/audit-actions.ts';
import { ACTIONS, actionWords, detailsText, OUTCOMES, pageOf, queryOf, targetText } from './audit-words.ts';

const NONE = { range: '', from: '', to: '', actor: '', action: '', outcome: '' };
const NOW = Date.parse('2026-11-20T10:00:00Z');

it('has words for what can be recorded, and the bare name for what it does not know', () => {
  expect(new Set(Object.values(ACTIONS)).size).toBe(Object.keys(ACTIONS).length);
  expect(actionWords('group.grant')).toBe('Granted a right');
  expect(OUTCOMES).toEqual(AUDIT_OUTCOMES);
  expect(actionWords('toString')).toBe('toString');
});

it('calls what it was done to as every page does', () => {
  const of = { target_id: '7', target_name: null };
  expect(targetText({ ...of, target_kind: 'blackout_schedule' })).toBe('silence schedule #7');
  expect(targetText({ ...of, target_kind: null })).toBe('');
});

it('says in a line the plain values of details, and no more than fits', () => {
  expect(detailsText({ username: 'anna', before: { a: 1 }, connection_id: 2, on: true, gone: null })).toBe(
    'username anna, connection id 2, on true',
  );
  expect(detailsText({ before: 'shop', name: 'store', group_id: 2 })).toBe(
    'name from shop to store, group id 2',
  );
  expect(detailsText({ before: { enabled: true, email: '' }, enabled: false, email: 'a@b' })).toBe(
    'enabled from true to false, email from nothing to a@b',
  );
  expect(detailsText({ reason: 'x'.repeat(4000) })).toHaveLength(160);
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
