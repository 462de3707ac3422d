// What the probe stores just beyond the threshold and just not.
import { type Case, HOUR, slower } from '../../testing/store/rule-case-rows.ts';

export const stored: Case = {
  ...{ probe: 'pg_stat_statements', database_name: 'shop', object: 'statement 1', lasts: 3 * HOUR },
  ...{
    bad: slower,
    good: slower,
    says: /^Mean time is 2\.\d+ times that of the day before \(2\d\.?\d* ms in the last hour, 10 ms in the day before; threshold 2\)/,
  },
};
