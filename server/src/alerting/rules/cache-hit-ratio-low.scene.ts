// What the probe stores just beyond the threshold and just not.
import { blocks, type Case, counts } from '../../testing/store/rule-case-rows.ts';

export const stored: Case = {
  ...counts('pg_stat_database', [blocks(1000, 1000), blocks(1700, 1300)], { database_name: 'shop' }),
  // Nothing is known of an hour in which nothing was read.
  good: (at) => [blocks(1700 + at * 10, 1300)],
};
