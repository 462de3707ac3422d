// What the probe stores on six days, so that the date of the rule is near or far.

import type { Row } from '../../store/layout/types.ts';
import { type DateCase, still } from '../../testing/store/date-case-rows.ts';

const sequence = (exhausted_percent: number): Row => ({
  ...{ seqrelid: 1, schemaname: 'public', sequencename: 'orders_id_seq', is_readable: true, cycles: false },
  ...{ last_value: 1, used_percent: exhausted_percent, exhausted_percent },
});

export const dated: DateCase = {
  probe: 'pg_sequence_usage',
  rows: (day, left) => [sequence(100 - still(day, left))],
  mended: [sequence(1)],
  database_name: 'shop',
  object: 'public.orders_id_seq',
};
