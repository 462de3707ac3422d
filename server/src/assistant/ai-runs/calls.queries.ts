// The statements of model calls and token budgets. Guards: a reservation and its check are one statement, so that no two processes
// pass a budget together.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface BudgetRow {
  used: number;
  reserved: number;
  used_nanodollars: number;
  reserved_nanodollars: number;
}

export const readBudget = (db: Db, userId: number, day: string): Promise<BudgetRow | undefined> =>
  db.maybe<BudgetRow>(sql`/* ai_runs.budget */
    select b.used, b.reserved, b.used_nanodollars, b.reserved_nanodollars
    from matriarch.token_budgets b
    where b.user_id = ${userId}::int and b.day = ${day}::date`);

export interface NewCall {
  /** Null for the program itself. */
  user_id: number | null;
  purpose: string;
  kind: string;
  provider: string;
  model: string;
  /** In UTC, such as 2026-11-23. */
  day: string;
  reserved_tokens: number;
  /** Of the day, in tokens; null for any number. */
  limit: number | null;
  /** 0 where no price is known. */
  reserved_nanodollars: number;
  /** Of the day; null for any amount. */
  limit_nanodollars: number | null;
  /** As JSON. */
  masked: string;
  started_at: string;
}

/** Reserves what the call may take, and notes that it runs; undefined where it would go beyond the limit. */
export const beginCall = (db: Db, one: NewCall): Promise<{ id: number } | undefined> =>
  db.maybe(sql`/* ai_runs.begin */
    with reserved as (
      insert into matriarch.token_budgets as b (user_id, day, used, reserved, reserved_nanodollars)
      select
        coalesce(${one.user_id}::int, 0), ${one.day}::date, 0, ${one.reserved_tokens}::bigint,
        ${one.reserved_nanodollars}::bigint
      where
        (${one.limit}::bigint is null or ${one.reserved_tokens}::bigint <= ${one.limit}::bigint)
        and (
          ${one.limit_nanodollars}::bigint is null
          or ${one.reserved_nanodollars}::bigint <= ${one.limit_nanodollars}::bigint
        )
      on conflict (user_id, day) do update
      set
        reserved = b.reserved + excluded.reserved,
        reserved_nanodollars = b.reserved_nanodollars + excluded.reserved_nanodollars
      where
        (${one.limit}::bigint is null or b.used + b.reserved + excluded.reserved <= ${one.limit}::bigint)
        and (
          ${one.limit_nanodollars}::bigint is null
          or b.used_nanodollars + b.reserved_nanodollars + excluded.reserved_nanodollars
            <= ${one.limit_nanodollars}::bigint
        )
      returning b.day
    )
    insert into matriarch.model_calls (
      user_id, purpose, kind, provider, model, state, day, reserved_tokens, reserved_nanodollars, request_bytes, masked,
      answer_bytes, is_estimated, started_at
    )
    select
      ${one.user_id}::int, ${one.purpose}::text, ${one.kind}::text, ${one.provider}::text, ${one.model}::text, 'running',
      r.day, ${one.reserved_tokens}::bigint, ${one.reserved_nanodollars}::bigint, 0, ${one.masked}::json, 0, true, ${one.started_at}::timestamptz
    from reserved r
    returning id`);

export interface Settled {
  id: number;
  state: 'done' | 'failed' | 'cancelled' | 'lost';
  request: string | null;
  request_bytes: number;
  answer: string | null;
  answer_bytes: number;
  failure: string | null;
  input_tokens: number;
  output_tokens: number;
  is_estimated: boolean;
  /** Null where no price is known. */
  cost_nanodollars: number | null;
  first_ms: number | null;
  took_ms: number;
}

/** Ends a call and counts what it took in place of what was reserved; once, however often it is told. */
export const settle = (db: Db, one: Settled): Promise<number> =>
  db.run(sql`/* ai_runs.settle */
    with ended as (
      update matriarch.model_calls c
      set
        state = ${one.state}::text, request = ${one.request}::text, request_bytes = ${one.request_bytes}::bigint,
        answer = ${one.answer}::text, answer_bytes = ${one.answer_bytes}::bigint, failure = ${one.failure}::text,
        input_tokens = ${one.input_tokens}::bigint, output_tokens = ${one.output_tokens}::bigint,
        is_estimated = ${one.is_estimated}::boolean, cost_nanodollars = ${one.cost_nanodollars}::bigint, first_ms = ${one.first_ms}::int, took_ms = ${one.took_ms}::int
      where c.id = ${one.id}::int and c.state = 'running'
      returning coalesce(c.user_id, 0) as user_id, c.day, c.provider, c.model, c.reserved_tokens,
        c.reserved_nanodollars
    ), counted as (
      insert into matriarch.token_use as u (
        user_id, day, provider, model, calls, input_tokens, output_tokens, cost_nanodollars, priced_calls
      )
      select
        e.user_id, e.day, e.provider, e.model, 1, ${one.input_tokens}::bigint, ${one.output_tokens}::bigint,
        coalesce(${one.cost_nanodollars}::bigint, 0), num_nonnulls(${one.cost_nanodollars}::bigint)
      from ended e
      on conflict (user_id, day, provider, model) do update
      set
        calls = u.calls + 1, input_tokens = u.input_tokens + excluded.input_tokens,
        output_tokens = u.output_tokens + excluded.output_tokens,
        cost_nanodollars = u.cost_nanodollars + excluded.cost_nanodollars,
        priced_calls = u.priced_calls + excluded.priced_calls
    )
    update matriarch.token_budgets b
    set
      used = b.used + ${one.input_tokens}::bigint + ${one.output_tokens}::bigint,
      reserved = greatest(0, b.reserved - e.reserved_tokens),
      used_nanodollars = b.used_nanodollars + coalesce(${one.cost_nanodollars}::bigint, 0),
      reserved_nanodollars = greatest(0, b.reserved_nanodollars - e.reserved_nanodollars)
    from ended e
    where b.user_id = e.user_id and b.day = e.day`);

/** Calls whose process has ended in the middle; what was reserved counts as used, since nobody knows better. */
export const loseCalls = (db: Db, before: string): Promise<number> =>
  db.run(sql`/* ai_runs.lose */
    with ended as (
      update matriarch.model_calls c
      set state = 'lost', failure = 'The process that made the call has ended.', input_tokens = c.reserved_tokens,
        output_tokens = 0, cost_nanodollars = nullif(c.reserved_nanodollars, 0)
      where c.state = 'running' and c.started_at < ${before}::timestamptz
      returning coalesce(c.user_id, 0) as user_id, c.day, c.provider, c.model, c.reserved_tokens, c.reserved_nanodollars
    ), counted as (
      insert into matriarch.token_use as u (
        user_id, day, provider, model, calls, input_tokens, output_tokens, cost_nanodollars, priced_calls
      )
      select
        e.user_id, e.day, e.provider, e.model, count(*), sum(e.reserved_tokens), 0, sum(e.reserved_nanodollars),
        count(*) filter (where e.reserved_nanodollars > 0)
      from ended e
      group by e.user_id, e.day, e.provider, e.model
      on conflict (user_id, day, provider, model) do update
      set
        calls = u.calls + excluded.calls, input_tokens = u.input_tokens + excluded.input_tokens,
        cost_nanodollars = u.cost_nanodollars + excluded.cost_nanodollars,
        priced_calls = u.priced_calls + excluded.priced_calls
    ), by_day as (
      select e.user_id, e.day, sum(e.reserved_tokens)::bigint as tokens, sum(e.reserved_nanodollars)::bigint as cost
      from ended e
      group by e.user_id, e.day
    )
    update matriarch.token_budgets b
    set
      used = b.used + d.tokens, reserved = greatest(0, b.reserved - d.tokens),
      used_nanodollars = b.used_nanodollars + d.cost,
      reserved_nanodollars = greatest(0, b.reserved_nanodollars - d.cost)
    from by_day d
    where b.user_id = d.user_id and b.day = d.day`);

/** What is old, and the oldest where all together take too much room. */
export const purgeCalls = (db: Db, { before, bytes }: { before: string; bytes: number }): Promise<number> =>
  db.run(sql`/* ai_runs.purge */
    delete from matriarch.model_calls c
    using (
      select s.id, s.started_at, sum(s.request_bytes + s.answer_bytes) over (order by s.id desc) as upto
      from matriarch.model_calls s
      where s.state <> 'running'
    ) n
    where n.id = c.id and (n.started_at < ${before}::timestamptz or n.upto > ${bytes}::bigint)`);

export const purgeBudgets = (db: Db, day: string): Promise<number> =>
  db.run(sql`/* ai_runs.purge_budgets */
    delete from matriarch.token_budgets b
    where b.day < ${day}::date - 2`);

/** Figures by day are kept for 400 days. */
export const purgeUse = (db: Db, day: string): Promise<number> =>
  db.run(sql`/* ai_runs.purge_use */
    delete from matriarch.token_use u
    where u.day < ${day}::date - 400`);
