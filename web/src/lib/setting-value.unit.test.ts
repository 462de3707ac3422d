import { expect, it } from 'vitest';
import { humanSetting, rawSetting } from './setting-value.ts';

const setting = (name: string, value: string | null, unit?: string) => ({ name, setting: value, unit });

it.each([
  [setting('shared_buffers', '16384', '8kB'), '128 MB', '16384 × 8kB'],
  [setting('work_mem', '4096', 'kB'), '4 MB', '4096 kB'],
  [setting('max_wal_size', '1024', 'MB'), '1 GB', '1024 MB'],
  [setting('checkpoint_timeout', '300', 's'), '5 min', '300 s'],
  [setting('log_min_duration_statement', '250', 'ms'), '250 ms', null],
  [setting('log_min_duration_statement', '-1', 'ms'), 'off', '-1 ms'],
  [setting('log_min_duration_statement', '0', 'ms'), 'every statement', '0 ms'],
  [setting('wal_level', 'replica'), 'replica', null],
  [setting('random_page_cost', '1.1'), '1.1', null],
  [setting('max_worker_processes', '8'), '8', null],
  [setting('odd', '-1', 'kB'), '-1', null],
  [setting('new_unit', '5', 'parsecs'), '5', null],
])('%o', (raw, human, kept) => {
  expect(humanSetting(raw)).toBe(human);
  expect(rawSetting(raw)).toBe(kept);
});

it('leaves what is not known unknown', () => {
  expect(humanSetting(setting('work_mem', null, 'kB'))).toBeNull();
  expect(rawSetting(setting('work_mem', null, 'kB'))).toBeNull();
});
