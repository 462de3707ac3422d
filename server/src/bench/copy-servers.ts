// Everything that is stored of the first server, for every other one as well, so that benches of many servers begin within seconds.
import type { Database } from '../kernel/db.ts';
import { sql } from '../kernel/sql.ts';

/** Every table of metrics that has something of connection 1; the planner knows of it afterwards. */
export async function copyToAll(db: Database): Promise<void> {
  await db.run(sql`/* bench.copy */
    do $$
    declare
      own text;
      listed text;
    begin
      for own in
        select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'metrics' and c.relkind in ('r', 'p') and not c.relispartition
          and exists (
            select from pg_attribute a where a.attrelid = c.oid and a.attname = 'connection_id' and not a.attisdropped
          )
      loop
        select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into listed
        from pg_attribute a
        where a.attrelid = to_regclass(format('metrics.%I', own)) and a.attnum > 0 and not a.attisdropped
          and a.attgenerated = '' and a.attname <> 'connection_id';
        execute format(
          'insert into metrics.%1$I (connection_id, %2$s)
          select others.n, %2$s from metrics.%1$I t
          cross join (select id as n from matriarch.connections where id > 1) others
          where t.connection_id = 1 on conflict do nothing', own, listed);
      end loop;
    end $$`);
  await db.run(sql`/* bench.vacuum */ vacuum (analyze)`);
}
