-- The column of samples that tells one life of a server from another gets a name that says so, in tables and in packed
-- hours. A table in which a probe has a column of that name already stays as it is: the program names the clash.
-- On Citus both are done one node after the other, as one transaction demands; elsewhere the setting means nothing.
set local citus.multi_shard_modify_mode to 'sequential';
do $$
declare
  name text;
begin
  for name in
    select m.table_name
    from matriarch.metric_tables m
    join pg_catalog.pg_attribute a on a.attrelid = to_regclass(format('metrics.%I', m.table_name))
    where m.layout = 'samples' and not a.attisdropped
    group by m.table_name
    having bool_or(a.attname = 'incarnation') and not bool_or(a.attname = 'server_instance')
    order by m.table_name
  loop
    execute format('alter table metrics.%I rename column incarnation to server_instance', name);
  end loop;
end
$$;
update matriarch.packed_layouts
set names = array_replace(names, '@inc', '@server_instance')
where '@inc' = any (names);
