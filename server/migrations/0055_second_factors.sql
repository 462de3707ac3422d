-- The second factor of accounts with a password: codes of an authenticator app (RFC 6238), with recovery codes for when it is lost.
create table matriarch.second_factors (
  user_id integer primary key references matriarch.users (id) on delete cascade,
  sealed_key bytea not null,
  created_at timestamptz not null,
  -- Not in force before a code has shown that the app has the key.
  confirmed_at timestamptz,
  -- The time step of the last code that was accepted: no code of it, or of one before, is accepted again.
  last_step bigint,
  -- Codes of the app that were tried since then, from wherever: six digits are too few to be guessed at by many addresses.
  tries integer not null default 0,
  tries_since timestamptz
);

-- Only a digest of each is kept; they are random enough that a slow one is not needed.
create table matriarch.recovery_codes (
  user_id integer not null references matriarch.second_factors (user_id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);
