-- Failures in a row count for an account and the network they came from, so that nobody can keep somebody else out;
-- and an address that an account signed in from lately has a budget of its own for that account.

-- Counted for the account alone until now; there is no network to give these.
delete from matriarch.login_attempts where address like 'account:%';

alter table matriarch.login_attempts
  -- The digest of the account's name where a row counts for one, however its address is written.
  add column account text,
  -- While the password of an attempt is looked at that only its known address let through.
  add column pending_until timestamptz;
create index login_attempts_account_idx on matriarch.login_attempts (account) where account is not null;

create table matriarch.sign_in_addresses (
  user_id integer not null references matriarch.users (id) on delete cascade,
  address text not null,
  signed_in_at timestamptz not null,
  primary key (user_id, address)
);
