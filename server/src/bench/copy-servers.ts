// Everything that is stored of the first server, for every other one as well, so that benches of many servers begin within seconds.
import type { Database } from '../kernel/db.ts';
import { sql } from '../kernel/sql.ts';

/** A statement may not take long. */
const SERVERS_AT_ONCE = 50;

/** Tables of metrics by connection, with their other columns. */
const tables = sql`/* bench.tables */
  select
    c.relname::text as table_name,
    string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attname <> 'connection_id') as columns
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where n.nspname = 'metrics' and c.relkind in ('r', 'p') and not c.relispartition
  group by c.relname
  having bool_or(a.attname = 'connection_id')`;

/** Its partitions, or itself: one at a time, since a statement may not take long. A table without partitions has no tree. */
const partsOf = (table: string) => sql`/* bench.parts */
  select p.relid::text as part
  from pg_partition_tree(${table}::regclass) p
  where p.isleaf
  union all
  select c.oid::regclass::text
  from pg_class c
  where c.oid = ${table}::regclass and c.relkind = 'r'`;

/** Of so many servers, connection 1 among them; the planner knows of it afterwards. `but` are names of tables that nobody reads. */
export async function copyToAll(db: Database, servers: number, but: RegExp = /^$/): Promise<void> {
  const found = await db.rows<{ table_name: string; columns: string }>(tables);
  for (const { table_name, columns } of found.filter((one) => !but.test(one.table_name))) {
    const table = `metrics."${table_name}"`;
    for (const { part } of await db.rows<{ part: string }>(partsOf(table))) {
      for (let first = 2; first <= servers; first += SERVERS_AT_ONCE)
        await db.run({
          text: `/* bench.copy */ insert into ${table} (connection_id, ${columns})
            select others.n, ${columns} from ${part} t
            cross join generate_series($1::int, $2::int) as others (n)
            where t.connection_id = 1 on conflict do nothing`,
          values: [first, Math.min(first + SERVERS_AT_ONCE - 1, servers)],
        });
      await db.run({ text: `/* bench.vacuum */ vacuum (analyze) ${part}`, values: [] });
    }
    await db.run({ text: `/* bench.analyze */ analyze ${table}`, values: [] });
  }
}
