-- Who is pinned to no cluster is in none, though a row may be left from when the server stood alone: that row counts only
-- for those who are put there. What was hidden so far stays hidden.
update matriarch.connections c
set cluster_id = cl.id
from matriarch.clusters cl
where cl.auto_cluster_key = 'standalone:' || c.id
  and cl.dismissed
  and c.membership_source = 'manual'
  and c.cluster_id is null;

create or replace view matriarch.connection_scopes as
select
  c.id as connection_id,
  coalesce(own.id, case when not keyed.dismissed then keyed.id end) as cluster_id,
  coalesce(own.group_id, case when not keyed.dismissed then keyed.group_id end, d.id) as group_id,
  k.cluster_key,
  coalesce(keyed.dismissed, false) as is_hidden
from matriarch.connections c
left join matriarch.clusters own on own.id = c.cluster_id and not own.dismissed
left join matriarch.topology_nodes n on n.connection_id = c.id
cross join lateral (
  select case
    when own.id is not null then own.auto_cluster_key
    when c.membership_source = 'auto' and c.cluster_id is null and n.cluster_key is not null then n.cluster_key
    else 'standalone:' || c.id
  end as cluster_key
) k
left join matriarch.clusters keyed on own.id is null
  and keyed.auto_cluster_key = k.cluster_key
  and (c.membership_source = 'auto' or c.cluster_id is not null)
left join matriarch.cluster_groups d on d.is_default
where c.deleted_at is null;
