// The statements of the report.

import type { Severity } from '../../alerting/rules/types.ts';
import type { Principal } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { type FindingRow, rank, row, seenBy } from './findings.queries.ts';

/** Found within a day after the server was added; found for the first time later; resolved before and found again. */
export type ReportKind = 'first_look' | 'first' | 'back' | 'worse' | 'resolved';

export interface ReportRow extends FindingRow {
  kind: ReportKind;
  first_figure: number | null;
  figure_after: number | null;
  /** How grave it was when the window began; null: it was not there. */
  before: Severity | null;
}

export interface ReportWindow {
  connection_ids: readonly number[];
  /** RFC 3339. */
  start_time: string;
  end_time: string;
  limit: number;
}

/** What came, became graver or was resolved in a window; gravest first. What is muted is left out. */
export const listReport = (
  db: Db,
  principal: Principal,
  { connection_ids, start_time, end_time, limit }: ReportWindow,
): Promise<(ReportRow & { total: number })[]> =>
  db.rows(sql`/* findings.report */
    select n.*, count(*) over (partition by n.kind)::int as total
    from (
      select
        ${row}, f.first_figure, f.figure_after, b.severity as before,
        case
          when f.resolved_at >= ${start_time}::timestamptz and f.resolved_at < ${end_time}::timestamptz then 'resolved'
          when f.resolved_at is not null then null
          when f.first_seen_at >= ${start_time}::timestamptz then
            case when f.first_seen_at < c.created_at + interval '1 day' then 'first_look' else 'first' end
          when f.opened_at >= ${start_time}::timestamptz then 'back'
          when ${rank} > case b.severity when 'critical' then 2 when 'warning' then 1 when 'info' then 0 end then 'worse'
        end as kind,
        ${rank} as rank
      ${seenBy(principal)}
      left join lateral (
        select g.severity
        from matriarch.finding_figures g
        where g.finding_id = f.id and g.at < ${start_time}::timestamptz
        order by g.at desc limit 1
      ) b on true
      where f.connection_id = any (${connection_ids}::int[])
        and f.opened_at < ${end_time}::timestamptz
        and (f.resolved_at is null or f.resolved_at >= ${start_time}::timestamptz)
        and (f.muted_until is null or f.muted_until <= now())
    ) n
    where n.kind is not null
    order by n.rank desc, n.opened_at, n.id
    limit ${limit}`);
