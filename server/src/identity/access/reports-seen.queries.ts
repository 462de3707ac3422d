// Who sees a report schedule, as SQL on a row `r` of matriarch.report_schedules. Guards: only its owner and superusers do, since its
// reports say what its owner may see, and nobody with a token that is limited to some connections.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Principal } from './principal.ts';

export const isLimited = ({ scope }: Principal): boolean => scope?.connections !== undefined;

/** True where `principal` can see the schedule `r`. */
export function seenReport(principal: Principal): Sql {
  const { is_superuser, all_connections = is_superuser, user_id } = principal;
  if (isLimited(principal)) return sql`false`;
  return all_connections ? sql`true` : sql`r.owner_user_id = ${user_id}::int`;
}
