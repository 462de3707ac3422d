-- Calls of language models as they were sent, and what was answered. Those of the program itself have no user.
create table matriarch.model_calls (
  id serial primary key,
  user_id integer references matriarch.users (id) on delete cascade,
  purpose text not null,
  kind text not null,
  provider text not null,
  model text not null,
  state text not null,
  -- Of the day whose budget holds its reservation, in UTC.
  day date not null,
  reserved_tokens bigint not null,
  -- As text of JSON, cut where it is longer than what is kept.
  request text,
  request_bytes bigint not null,
  masked json not null,
  answer text,
  answer_bytes bigint not null,
  failure text,
  input_tokens bigint,
  output_tokens bigint,
  is_estimated boolean not null,
  started_at timestamptz not null,
  first_ms integer,
  took_ms integer,
  constraint model_calls_state_known check (state in ('running', 'done', 'failed', 'cancelled', 'lost'))
);
create index model_calls_user_idx on matriarch.model_calls (user_id, id desc);
create index model_calls_started_idx on matriarch.model_calls (started_at);
create index model_calls_running_idx on matriarch.model_calls (started_at) where state = 'running';

-- Tokens of language models by day in UTC. User 0 is the program itself; the figures stay when a user is deleted.
create table matriarch.token_budgets (
  user_id integer not null,
  day date not null,
  used bigint not null,
  -- For calls under way.
  reserved bigint not null,
  constraint token_budgets_pkey primary key (user_id, day)
);

create table matriarch.token_use (
  user_id integer not null,
  day date not null,
  provider text not null,
  model text not null,
  calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  constraint token_use_pkey primary key (user_id, day, provider, model)
);
