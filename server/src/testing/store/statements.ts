// Which statements a piece of work sends to the datastore, as PostgreSQL itself counts them, without the questions
// whether it is still there, without what begins a session, and without what is written in the background of when tokens were used.
import { vi } from 'vitest';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { TestDatabase } from '../servers/database.ts';

const prepare: Sql = sql`/* test.statements_prepare */ create extension if not exists pg_stat_statements`;
const count: Sql = sql`/* test.statements_count */
  select
    (select i.dealloc::float8 from pg_stat_statements_info i) as evictions,
    (
      select coalesce(jsonb_object_agg(named.name, named.calls), '{}')
      from (
        select coalesce(substring(s.query from '/[*] ([a-z_.]+)'), left(s.query, 80)) as name, sum(s.calls) as calls
        from pg_stat_statements s
        where s.dbid = (select d.oid from pg_database d where d.datname = current_database())
          and s.query not like '%pg_stat_statements%'
          and s.query not like '%heartbeat.%'
          and s.query not like '%access.save_token_uses%'
          and s.query not like '/* session.%'
          and s.query not like '%set_config(%'
        group by 1
      ) named
    ) as calls`;

const busy: Sql = sql`/* test.statements_busy: pg_stat_statements */
  select a.pid
  from pg_stat_activity a
  where a.datname = current_database() and a.pid <> pg_backend_pid() and a.state = 'active'`;

interface Counted {
  /** How often the server made room, which other tests' statements bring about. */
  evictions: number;
  /** Names of statements, as their first comment says them, and how often each was run so far. */
  calls: Record<string, number>;
}

const ATTEMPTS = 5;

/** A statement is counted when its session ends it, which may be after its rows have been read. */
const counted = ({ db }: TestDatabase): Promise<Counted> =>
  vi.waitFor(
    async () => {
      const active = await db.rows(busy);
      if (active.length > 0) throw new Error('A session is still at work.');
      return db.one<Counted>(count);
    },
    { timeout: 30_000, interval: 10 },
  );

/**
 * Names of the statements sent to this database while `work` runs, sorted. It is run again where the server has forgotten some
 * meanwhile.
 */
export async function statementsOf(database: TestDatabase, work: () => Promise<unknown>): Promise<string[]> {
  await database.db.run(prepare);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await counted(database);
    await work();
    const after = await counted(database);
    if (after.evictions !== before.evictions) continue;
    return Object.entries(after.calls)
      .flatMap(([name, calls]) => Array.from({ length: calls - (before.calls[name] ?? 0) }, () => name))
      .toSorted();
  }
  throw new Error('The server forgets statements faster than they are counted.');
}
