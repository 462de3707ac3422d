-- Passkeys of accounts with a password (WebAuthn). Only public keys are kept: there is nothing here to seal.
create table matriarch.passkeys (
  id bigserial primary key,
  user_id integer not null references matriarch.users (id) on delete cascade,
  credential_id bytea not null unique,
  public_key bytea not null,
  -- What the authenticator calls the account: random, and the same for all passkeys of a user.
  user_handle bytea not null,
  -- How often it was used, as the authenticator counts; 0 for ever where it does not count.
  counter bigint not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user_id on matriarch.passkeys (user_id);

-- Recovery codes stand in for a passkey, too.
alter table matriarch.recovery_codes drop constraint recovery_codes_user_id_fkey;
alter table matriarch.recovery_codes
  add constraint recovery_codes_user_id_fkey foreign key (user_id) references matriarch.users (id) on delete cascade;
