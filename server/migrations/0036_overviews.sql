-- What a model wrote about a set of servers; the key is that set, so that nobody reads of a server they cannot see.
create table matriarch.overviews (
  scope_key text primary key,
  generated_at timestamptz,
  summary text,
  -- Who makes a new one, and until when they count as alive without a sign of life.
  attempt_id text,
  attempt_expires_at timestamptz,
  failed_at timestamptz,
  asked_at timestamptz not null
);
