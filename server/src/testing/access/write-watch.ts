// Notices every row that is written in a test's database, by whatever session, and also where the transaction is rolled back
// afterwards: a trigger on each table counts in a sequence, which no rollback takes back. So whether a request wrote is told by
// reading the sequences, whatever the tables hold.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface WriteWatch {
  /** How many rows were written so far, by the table; a truncation counts as one. */
  counts(): Promise<Record<string, number>>;
}

/** Who was refused, and who tried to sign in, is written down; so is when a token was last used. */
const MAY_CHANGE = /^(login_attempts|audit_.*)$/;
const TRACE_OF_USE = 'last_used_at';

const SETUP = `/* test.watch */
  create schema watched;
  create function watched.note() returns trigger language plpgsql as $$
    begin
      perform nextval(format('watched.%I', tg_argv[0]));
      return null;
    end $$`;

interface Table {
  name: string;
  has_trace: boolean;
}

function watchOf({ name, has_trace }: Table): string {
  const [on, note] = [`on matriarch."${name}"`, `execute function watched.note('${name}')`];
  const isMore = `to_jsonb(old) - '${TRACE_OF_USE}' is distinct from to_jsonb(new) - '${TRACE_OF_USE}'`;
  return `
    create sequence watched."${name}";
    create trigger watched_rows after insert or delete ${on} for each row ${note};
    create trigger watched_changes after update ${on} for each row ${has_trace ? `when (${isMore})` : ''} ${note};
    create trigger watched_emptying after truncate ${on} ${note};`;
}

/** Watches the tables that there are now. */
export async function watchWrites(db: Db): Promise<WriteWatch> {
  const tables = await db.rows<Table>(sql`/* test.tables */
    select c.relname as name, exists (
      select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = ${TRACE_OF_USE}) as has_trace
    from pg_catalog.pg_class c
    where c.relnamespace = 'matriarch'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
  const kept = tables.filter(({ name }) => !MAY_CHANGE.test(name));
  await db.run({ text: `${SETUP}; ${kept.map(watchOf).join('')}`, values: [] });
  return {
    async counts() {
      const rows = await db.rows<{ name: string; count: number }>(sql`/* test.written */
        select sequencename as name, last_value as count from pg_catalog.pg_sequences
        where schemaname = 'watched' and last_value is not null order by 1`);
      return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
    },
  };
}
