// How many statements a piece of work sends to the datastore, as PostgreSQL itself counts them, without the questions
// whether it is still there.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { TestDatabase } from '../servers/database.ts';

const prepare: Sql = sql`/* test.statements_prepare */ create extension if not exists pg_stat_statements`;
const count: Sql = sql`/* test.statements_count */
  select coalesce(sum(s.calls), 0)::int as calls
  from pg_stat_statements s
  where s.dbid = (select d.oid from pg_database d where d.datname = current_database())
    and s.query not like '%pg_stat_statements%'
    and s.query not like '%heartbeat.%'`;

/** Statements sent to this database while `work` runs. */
export async function countStatements({ db }: TestDatabase, work: () => Promise<unknown>): Promise<number> {
  await db.run(prepare);
  const before = await db.one<{ calls: number }>(count);
  await work();
  const after = await db.one<{ calls: number }>(count);
  return after.calls - before.calls;
}
