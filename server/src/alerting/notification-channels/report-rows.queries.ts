// Who sees what became of a notification, as SQL. Guards: one of an alert is seen by whoever sees the connection, and a report by
// whoever sees its schedule.

import { type Principal, seenReport, visible } from '../../identity/identity.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

/** True where `principal` can see what was told of the connection `c`, or the report of the schedule `r`, whichever is there. */
export const seenDelivery = (principal: Principal): Sql => sql`(case
      when r.id is not null then ${seenReport(principal)}
      else c.id is not null and ${visible(principal)}
    end)`;
