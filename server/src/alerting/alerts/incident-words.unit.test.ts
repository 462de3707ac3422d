// The words of incidents, and what is read back from a description as the alerter writes it.
import { expect, it } from 'vitest';
import { descriptionOf } from '../alerter/alert-texts.ts';
import { detailWords, placeWords, whatWords } from './incident-words.ts';

const reading = {
  rule: { title: 'Longest lock wait', reading: 'Longest lock wait: {value}', meaning: 'Others need it.' },
  metric: { name: 'max_lock_wait_seconds', description: 'A wait.', unit: 'seconds' },
  ...{ operator: '>' as const, threshold: 30, value: 88, database_name: '', object_name: '' },
};

it('reads from a description what the value is made of', () => {
  const says = 'PID 7 of "a; b (c)", idle in transaction, blocks 3 sessions';
  const known = { description: descriptionOf({ ...reading, says }) };
  const unknown = { description: descriptionOf(reading) };
  expect(detailWords([unknown, known])).toBe(says);
  expect(detailWords([unknown])).toBeNull();
  expect(detailWords([{ description: 'It cannot be reached (refused).' }])).toBeNull();
});

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
});
