import { expect, it } from 'vitest';
import { newestTime, sourceOf, sourcesOf } from './host-sources.ts';

const VALUES = [
  { field: 'cpu_model', source: 'local', observed_at: '2026-11-20T10:00:00.000Z' },
  { field: 'system.hostname', source: 'node_exporter', observed_at: '2026-11-20T10:00:05.000Z' },
  { field: 'disks', source: 'local', observed_at: '2026-11-20T09:00:00.000Z' },
];

it('finds the source of a field, however it is named', () => {
  expect(sourceOf(VALUES, 'cpu_model')).toBe('local');
  expect(sourceOf(VALUES, 'hostname')).toBe('node_exporter');
  expect(sourceOf(VALUES, 'model')).toBeUndefined();
});

it('lists sources once and knows the newest time', () => {
  expect(sourcesOf(VALUES)).toEqual(['local', 'node_exporter']);
  expect(newestTime(VALUES)).toBe('2026-11-20T10:00:05.000Z');
  expect(newestTime([])).toBeUndefined();
});
