-- The audit log: who did what, when, from where, and how it ended. Rows are only ever added. Each holds the hash of the
-- row before it, so whoever edits, deletes or swaps rows behind our back breaks a chain that `matriarch audit verify`
-- walks. The datastore seals each row by itself, as the last step of the transaction that writes it: a change and its
-- row become visible together or not at all, and a program cannot forget the hash. One table on one node, also where
-- metrics are distributed: a chain has one end.
create table matriarch.audit_events (
  -- The order of writing. Gaps mean nothing: a transaction that is rolled back takes its number with it.
  entry bigserial primary key,
  -- The place in the chain, given at commit. It has no gaps: a missing one is a deleted row.
  id bigint,
  at timestamptz not null,
  -- Who: kept as they were, also when the user is deleted. Null when nobody was known.
  actor_id integer,
  actor_name text,
  via text,
  via_id integer,
  address text,
  request_id text,
  action text not null,
  outcome text not null default 'ok',
  target_kind text,
  target_id text,
  target_name text,
  details jsonb not null default '{}',
  -- How often: refusals that repeat within a minute are one row.
  occurrences integer not null default 1,
  previous_hash bytea,
  hash bytea,
  constraint audit_events_id_key unique (id),
  constraint audit_events_via_known check (via in ('session', 'token', 'system')),
  constraint audit_events_outcome_known check (outcome in ('ok', 'refused', 'failed')),
  constraint audit_events_details_object check (jsonb_typeof(details) = 'object'),
  constraint audit_events_occurrences_range check (occurrences >= 1)
);
create index audit_events_at_idx on matriarch.audit_events (at);
create index audit_events_actor_idx on matriarch.audit_events (actor_id, id);
create index audit_events_target_idx on matriarch.audit_events (target_kind, target_id, id);

-- The ends of the chain: the newest row, and the last one that retention removed. The lock on this one row is what
-- keeps one chain, whoever writes and from wherever.
create table matriarch.audit_chain (
  is_only boolean primary key default true,
  head_id bigint not null default 0,
  head_hash bytea not null,
  anchor_id bigint not null default 0,
  anchor_hash bytea not null,
  constraint audit_chain_one_row check (is_only)
);
insert into matriarch.audit_chain (head_hash, anchor_hash)
values (sha256('matriarch audit v1'), sha256('matriarch audit v1'));

-- What is hashed of a row, after the hash before it. Times as microseconds, so that no session setting matters.
create function matriarch.audit_content(event matriarch.audit_events) returns text
language sql stable
as $$
  select jsonb_build_array(
    event.id,
    (extract(epoch from event.at) * 1000000)::bigint,
    event.actor_id,
    event.actor_name,
    event.via,
    event.via_id,
    event.address,
    event.request_id,
    event.action,
    event.outcome,
    event.target_kind,
    event.target_id,
    event.target_name,
    event.details,
    event.occurrences
  )::text
$$;

-- Deferred: it runs when the transaction commits, after everything else in it, so the lock on the chain's end is held
-- for the commit alone and nothing can be waited for while holding it.
create function matriarch.seal_audit_event() returns trigger
language plpgsql
as $$
declare
  chain matriarch.audit_chain;
  event matriarch.audit_events;
begin
  select * into strict chain from matriarch.audit_chain for update;
  event := new;
  event.id := chain.head_id + 1;
  event.previous_hash := chain.head_hash;
  event.hash := sha256(event.previous_hash || convert_to(matriarch.audit_content(event), 'UTF8'));
  update matriarch.audit_events
  set id = event.id, previous_hash = event.previous_hash, hash = event.hash
  where entry = new.entry;
  update matriarch.audit_chain set head_id = event.id, head_hash = event.hash;
  return null;
end
$$;

create constraint trigger audit_events_sealed
after insert on matriarch.audit_events
deferrable initially deferred
for each row execute function matriarch.seal_audit_event();

-- Rows change once, from not sealed to sealed, and go only when they are behind the anchor.
create function matriarch.keep_audit_events() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    if new.id is null and new.hash is null and new.previous_hash is null then
      return new;
    end if;
  elsif tg_op = 'UPDATE' then
    if old.hash is null and to_jsonb(new) - array['id', 'hash', 'previous_hash']
      = to_jsonb(old) - array['id', 'hash', 'previous_hash'] then
      return new;
    end if;
  elsif tg_op = 'DELETE' then
    if old.id <= (select anchor_id from matriarch.audit_chain) then
      return old;
    end if;
  end if;
  raise exception 'the audit log is only ever added to' using errcode = 'restrict_violation';
end
$$;

create trigger audit_events_kept before insert or update or delete on matriarch.audit_events
for each row execute function matriarch.keep_audit_events();
create trigger audit_events_not_emptied before truncate on matriarch.audit_events
for each statement execute function matriarch.keep_audit_events();

-- The ends only move forward.
create function matriarch.keep_audit_chain() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'UPDATE' then
    if new.head_id in (old.head_id, old.head_id + 1) and new.anchor_id between old.anchor_id and new.head_id
      and (new.head_id > old.head_id or new.head_hash = old.head_hash)
      and (new.anchor_id > old.anchor_id or new.anchor_hash = old.anchor_hash) then
      return new;
    end if;
  end if;
  raise exception 'the audit log is only ever added to' using errcode = 'restrict_violation';
end
$$;

create trigger audit_chain_kept before update or delete on matriarch.audit_chain
for each row execute function matriarch.keep_audit_chain();
create trigger audit_chain_not_emptied before truncate on matriarch.audit_chain
for each statement execute function matriarch.keep_audit_chain();
