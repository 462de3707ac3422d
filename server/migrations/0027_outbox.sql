-- The outbox: what was never worth sending, how long it is tried, and what was sent again by hand.
alter table matriarch.notifications
  drop constraint notifications_state_known,
  add constraint notifications_state_known check (state in ('queued', 'sending', 'sent', 'dead', 'skipped')),
  -- Given up then. Moves on while a blackout holds it back.
  add column expires_at timestamptz not null default now() + interval '24 hours',
  -- How often somebody had it sent again: a part of the key by which the other side knows repetitions.
  add column resends integer not null default 0;
drop index matriarch.notifications_dead_idx;
create index notifications_ended_idx on matriarch.notifications (ended_at) where state in ('dead', 'skipped');
