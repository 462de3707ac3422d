// The words of incidents.
import { expect, it } from 'vitest';
import { placeWords, whatWords } from './incident-words.ts';

it('names a few followers, and counts the rest', () => {
  expect(whatWords(['a'])).toBe('a');
  expect(whatWords(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('a → b, c, d and 2 more');
});

it('names the server as messages do, and of several the cluster', () => {
  const one = { server_name: 's1', cluster_name: 'orders', server_count: 1 };
  expect(placeWords(one)).toBe('orders / s1');
  expect(placeWords({ ...one, cluster_name: 's1' })).toBe('s1');
  expect(placeWords({ ...one, server_count: 3 })).toBe('orders');
  expect(placeWords({ ...one, server_count: 3, cluster_name: null })).toBe('s1 and 2 more');
  expect(placeWords({ ...one, is_own: true })).toBe('Matriarch');
});
