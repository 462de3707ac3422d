-- Reading what stands now begins at the newest whole tick of each database: few of many, so they have an index of their own.
-- Tables that are made from now on have it from the start (store/layout/engine/ddl.ts).
do $$
declare
  one text;
begin
  for one in
    select m.table_name
    from matriarch.metric_tables m
    where m.layout = 'objects' and to_regclass(format('metrics.%I', m.table_name)) is not null
    order by m.table_name
  loop
    execute format(
      'create index if not exists %I on metrics.%I (connection_id, database_name, collected_at) where whole',
      one || '_whole', one
    );
  end loop;
end
$$;
