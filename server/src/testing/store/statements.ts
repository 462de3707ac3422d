// How many statements a piece of work sends to the datastore, as PostgreSQL itself counts them, without the questions
// whether it is still there and without what is written in the background of when tokens were used.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { TestDatabase } from '../servers/database.ts';

const prepare: Sql = sql`/* test.statements_prepare */ create extension if not exists pg_stat_statements`;
const count: Sql = sql`/* test.statements_count */
  select
    (select i.dealloc::float8 from pg_stat_statements_info i) as evictions,
    coalesce(sum(s.calls), 0)::int as calls
  from pg_stat_statements s
  where s.dbid = (select d.oid from pg_database d where d.datname = current_database())
    and s.query not like '%pg_stat_statements%'
    and s.query not like '%heartbeat.%'
    and s.query not like '%access.save_token_uses%'`;

interface Counted {
  /** How often the server made room, which other tests' statements bring about. */
  evictions: number;
  calls: number;
}

const ATTEMPTS = 5;

/** Statements sent to this database while `work` runs, which is run again where the server has forgotten some meanwhile. */
export async function countStatements({ db }: TestDatabase, work: () => Promise<unknown>): Promise<number> {
  await db.run(prepare);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await db.one<Counted>(count);
    await work();
    const after = await db.one<Counted>(count);
    if (after.evictions === before.evictions) return after.calls - before.calls;
  }
  throw new Error('The server forgets statements faster than they are counted.');
}
