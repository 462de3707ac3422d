// Words of answers: times as people say them, links that stand still, and what comes first.
import { expect, it } from 'vitest';
import { duration, momentPage, pageOf, worstFirst } from './answer-texts.ts';
import type { Point } from './answers.types.ts';

it('says durations as people do', () => {
  expect([0.4, 59, 60, 290, 3600, 12_000, 172_800].map(duration)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '4 min 50 s',
    '1 h',
    '3 h 20 min',
    '2 days',
  ]);
});

it('links to the window, and to its end', () => {
  const asked = {
    connection_id: 7,
    from: Date.UTC(2026, 10, 20, 9),
    to: Date.UTC(2026, 10, 20, 10),
    isNow: false,
  };
  expect(pageOf(asked, 'load')).toBe(
    '/servers/7?tab=load&from=2026-11-20T09%3A00%3A00Z&to=2026-11-20T10%3A00%3A00Z',
  );
  expect(momentPage(asked, 'locks')).toContain('&at=2026-11-20T10%3A00%3A00Z');
});

it('puts the worst first, then by kind, then as they came', () => {
  const point = (name: string, kind: Point['kind'], severity: Point['severity']): Point => ({
    ...{
      kind,
      name,
      severity,
      says: name,
      advice: null,
      sql: null,
      about: null,
      since: null,
      as_of: null,
      path: '/',
    },
  });
  const points = [
    point('a', 'change', 'info'),
    point('b', 'finding', 'warning'),
    point('c', 'lock', 'warning'),
    point('d', 'finding', 'critical'),
    point('e', 'finding', 'warning'),
  ];
  expect(worstFirst(points, ['lock', 'finding', 'change']).map(({ name }) => name)).toEqual([
    'd',
    'c',
    'b',
    'e',
    'a',
  ]);
});
