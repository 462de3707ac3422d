// What the probe stores just beyond the threshold and just not.
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels('pg_settings', [
  [{ name: 'max_connections', setting: '501' }],
  [{ name: 'max_connections', setting: '500' }],
]);
