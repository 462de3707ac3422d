-- Runs of the chat: one question and what was done to answer it. What a run told is kept event by event, so that a client that
-- was cut off can go on where it was, also after a restart.
create table matriarch.chat_runs (
  id text primary key,
  user_id integer not null references matriarch.users (id) on delete cascade,
  conversation_id text not null,
  state text not null,
  provider text,
  model text,
  -- Until when the process that runs it counts as alive without a sign of life.
  expires_at timestamptz not null,
  -- Somebody wants it to stop, perhaps in another process.
  cancelled_at timestamptz,
  started_at timestamptz not null,
  ended_at timestamptz,
  constraint chat_runs_state_known check (state in ('running', 'done', 'failed', 'cancelled', 'interrupted'))
);
create index chat_runs_newest_idx on matriarch.chat_runs (user_id, started_at desc, id);
create unique index chat_runs_one_at_a_time on matriarch.chat_runs (conversation_id) where state = 'running';

create table matriarch.chat_run_events (
  run_id text not null references matriarch.chat_runs (id) on delete cascade,
  sequence integer not null,
  data json not null,
  primary key (run_id, sequence)
);
