// Whether what was read of the servers before still holds, as SQL: a text that differs after any change that was
// committed, by anybody. It stands beside the access function because both are asked in one statement (decision 014).
import { type Sql, sql } from '../../kernel/sql.ts';

/** How many rows there are, and a sum over who wrote each of them last. `id` is an integer of the row `t`. */
export const versionsOf = (table: Sql, id: Sql): Sql => sql`(
  select concat_ws(':', count(*), sum(hashtextextended(t.xmin::text, ${id}))) from ${table} t
)`;

/** Which servers cannot be read, and why. */
export const connectionErrorsVersion = sql`(
  select sum(hashtextextended(s.connection_error, s.connection_id))
  from matriarch.connection_states s
  where s.connection_error is not null
)`;

/** Of what people said of each server: its row, and its owner's name. */
export const namesFingerprint = sql`concat_ws(' ',
  ${versionsOf(sql`matriarch.connections`, sql`t.id`)},
  (select sum(hashtextextended(u.username, u.id)) from matriarch.users u)
)`;

/** Of what the status of each server follows from beside its row; but for the age of samples. */
export const statesFingerprint = sql`concat_ws(' ',
  ${connectionErrorsVersion},
  (select p.revision from matriarch.probe_configs p where p.probe_name = 'pg_connectivity'),
  (
    select concat_ws(':', count(*), sum(o.revision))
    from matriarch.probe_overrides o
    where o.probe_name = 'pg_connectivity'
  )
)`;

/** Of what is shown of each server wherever servers are shown; but for the age of samples and what was collected. */
export const serversFingerprint = sql`concat_ws(' ', ${namesFingerprint}, ${statesFingerprint})`;
