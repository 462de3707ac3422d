// What the probe stores on six days, so that the date of the rule is near or far.
import { type DateCase, GIB, still } from '../../testing/store/date-case-rows.ts';

export const dated: DateCase = {
  probe: 'pg_replication_slots',
  rows: (day, left) => [
    {
      ...{ slot_name: 'left', active: false, retained_bytes: (1 + day) * GIB },
      safe_wal_size: still(day, left) * GIB,
    },
  ],
  // It may have been dropped.
  mended: [],
  object: 'left',
};
