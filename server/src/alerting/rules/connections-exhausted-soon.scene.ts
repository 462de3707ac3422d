// What the probe stores on six days, so that the date of the rule is near or far.
import { type DateCase, still } from '../../testing/store/date-case-rows.ts';

const HOUR = 3600;
const CONNECTIONS = 97;

export const dated: DateCase = {
  probe: 'pg_stat_database',
  rows: (day, left) => [{ datname: 'shop', numbackends: CONNECTIONS - 2 * still(day, left) }],
  mended: [{ datname: 'shop', numbackends: 20 }],
  beside: {
    probe: 'pg_server_info',
    rows: [{ server_version_num: 180004, usable_connections: CONNECTIONS }],
  },
  seenAfter: 30 * HOUR,
};
