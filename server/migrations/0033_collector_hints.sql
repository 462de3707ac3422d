-- Tells the collectors of every change that they look for, whoever makes it and however, so that one that is alone need
-- not look each second. Once for a statement; a transaction that changes many rows tells once.
create function matriarch.tell_collectors() returns trigger
language plpgsql
as $$
begin
  perform pg_notify('matriarch_collectors', '');
  return null;
end
$$;

create trigger connections_told after insert or update or delete on matriarch.connections
for each statement execute function matriarch.tell_collectors();

create trigger probe_configs_told after insert or update or delete on matriarch.probe_configs
for each statement execute function matriarch.tell_collectors();

create trigger probe_overrides_told after insert or update or delete on matriarch.probe_overrides
for each statement execute function matriarch.tell_collectors();

create trigger clusters_told after insert or update or delete on matriarch.clusters
for each statement execute function matriarch.tell_collectors();

create trigger cluster_groups_told after insert or update or delete on matriarch.cluster_groups
for each statement execute function matriarch.tell_collectors();
