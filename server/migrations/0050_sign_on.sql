-- Signing in by OpenID Connect: which user a provider's (issuer, subject) is, and what a session owes to the provider.
create table matriarch.user_identities (
  issuer text not null,
  subject text not null,
  user_id integer not null references matriarch.users (id) on delete cascade,
  created_at timestamptz not null,
  signed_in_at timestamptz,
  primary key (issuer, subject)
);
create index user_identities_user on matriarch.user_identities (user_id);

-- Of what works once: the state of a sign-in, and the id of a logout token. Kept until it could not be used any more.
create table matriarch.used_once (
  hash bytea primary key,
  expires_at timestamptz not null
);

alter table matriarch.sessions
  add column issuer text,
  add column subject text,
  add column provider_session text,
  add column sealed_id_token bytea;
create index sessions_identity on matriarch.sessions (issuer, subject) where issuer is not null;
