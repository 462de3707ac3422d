// Facts of a server: what a check may ask, and what it is told.
import { describe, expect, it } from 'vitest';
import { Facts } from './facts.ts';

const of = (...names: string[]) =>
  new Facts({
    now: 0,
    readings: new Map([
      [
        'pg_settings',
        [{ database_name: '', collected_at: 0, rows: names.map((name) => ({ name, setting: 'on' })) }],
      ],
    ]),
  });

describe('settings', () => {
  it('are those that are read; any other fails, rather than being unknown of every server', () => {
    expect(of('fsync', 'enable_new_method').setting('fsync')).toBe('on');
    expect(of('fsync', 'enable_new_method').isOn('enable_new_method')).toBe(true);
    expect(of().setting('fsync')).toBeUndefined();
    expect(() => of('port').setting('port')).toThrow('settings-read.ts does not list port');
  });
});
