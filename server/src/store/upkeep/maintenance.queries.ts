// The statements of the maintenance job that delete old rows of tables that have no partitions.
import { type Sql, sql } from '../../kernel/sql.ts';

/** Numbers of batches that nobody asks for any more. */
export const forgetBatches = sql`
  /* store.forget_batches */
  delete from matriarch.batch_ledger
  where written_at < now() - interval '2 days'`;

/** Objects that no tick and no rollup names any more: last_seen is at most a day behind. */
export const forgetObjects = (slice: number): Sql => sql`
  /* store.forget_objects */
  delete from metrics.objects o
  using (
    select b.connection_id, b.object_id
    from metrics.objects b
    join (
      select k.probe, max(k.retention_days) as retention_days
      from (
        select m.probe, greatest(m.retention_days, m.longest_retention_days)
        from matriarch.metric_tables m
        union all
        select t.probe, greatest(t.retention_days, t.longest_retention_days)
        from matriarch.tier_tables t
        where t.names_objects
      ) k (probe, retention_days)
      group by k.probe
    ) m on m.probe = b.kind
    where b.last_seen < now() - make_interval(days => m.retention_days + 2)
    limit ${slice}
  ) s
  where o.connection_id = s.connection_id and o.object_id = s.object_id`;
