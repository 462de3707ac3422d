// The statements that read model calls back and tell what was used.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { Kind, Purpose } from './ledger.ts';

export interface RunSummaryRow {
  id: number;
  user_id: number | null;
  username: string | null;
  purpose: Purpose;
  kind: Kind;
  provider: string;
  model: string;
  state: 'running' | 'done' | 'failed' | 'cancelled' | 'lost';
  failure: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  is_estimated: boolean;
  cost_nanodollars: number | null;
  started_at: string;
  first_ms: number | null;
  took_ms: number | null;
}

export interface RunRow extends RunSummaryRow {
  request: string | null;
  masked: Record<string, number>;
  answer: string | null;
}

const columns = sql`
  c.id, c.user_id, u.username, c.purpose, c.kind, c.provider, c.model, c.state, c.failure, c.input_tokens,
  c.output_tokens, c.is_estimated, c.cost_nanodollars, c.started_at, c.first_ms, c.took_ms`;

/** Of one user, or of all and of the program where that is null. */
export const listRuns = (
  db: Db,
  { userId, limit, offset }: { userId: number | null; limit: number; offset: number },
): Promise<RunSummaryRow[]> =>
  db.rows(sql`/* ai_runs.list */
    select ${columns}
    from matriarch.model_calls c
    left join matriarch.users u on u.id = c.user_id
    where ${userId}::int is null or c.user_id = ${userId}::int
    order by c.id desc
    limit ${limit}::int offset ${offset}::int`);

export const findRun = (
  db: Db,
  { id, userId }: { id: number; userId: number | null },
): Promise<RunRow | undefined> =>
  db.maybe(sql`/* ai_runs.find */
    select ${columns}, c.request, c.masked, c.answer
    from matriarch.model_calls c
    left join matriarch.users u on u.id = c.user_id
    where c.id = ${id}::int and (${userId}::int is null or c.user_id = ${userId}::int)`);

export interface UseRow {
  day: string;
  user_id: number | null;
  username: string | null;
  provider: string;
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_nanodollars: number;
  priced_calls: number;
}

export const listUse = (
  db: Db,
  { userId, since }: { userId: number | null; since: string },
): Promise<UseRow[]> =>
  db.rows(sql`/* ai_runs.use */
    select
      t.day::text as day, nullif(t.user_id, 0) as user_id, u.username, t.provider, t.model, t.calls, t.input_tokens,
      t.output_tokens, t.cost_nanodollars, t.priced_calls
    from matriarch.token_use t
    left join matriarch.users u on u.id = t.user_id
    where t.day >= ${since}::date and (${userId}::int is null or t.user_id = ${userId}::int)
    order by t.day desc, t.user_id, t.provider, t.model
    limit 10000`);
