-- Events of logs by class in slots of ten minutes, an hour and six hours: a day of hundreds of servers is read in few rows. Triggers add up what
-- log_counts gets, also from a collector of the version before that still runs while this is applied.
create table matriarch.log_sums (
  connection_id integer not null,
  slot_seconds integer not null,
  -- Begins at a multiple of its length since 1970, in UTC.
  slot timestamptz not null,
  class text not null,
  events bigint not null,
  kept bigint not null,
  constraint log_sums_pkey primary key (connection_id, slot_seconds, slot, class),
  constraint log_sums_slot_known check (slot_seconds in (600, 3600, 21600))
);
create index log_sums_slot_idx on matriarch.log_sums (slot);

-- One row. Slots before it lack what was counted before this migration, so these are read from log_counts.
create table matriarch.log_sums_state (
  id smallint not null default 1,
  whole_from timestamptz not null,
  constraint log_sums_state_pkey primary key (id),
  constraint log_sums_state_once check (id = 1)
);

create function matriarch.add_log_sums() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into matriarch.log_sums as s (connection_id, slot_seconds, slot, class, events, kept)
    select
      a.connection_id, w.seconds, date_bin(make_interval(secs => w.seconds), a.minute, timestamptz 'epoch') as slot, a.class,
      sum(a.events), sum(a.kept)
    from added a, unnest(array[600, 3600, 21600]) as w (seconds)
    group by a.connection_id, w.seconds, slot, a.class
    order by a.connection_id, w.seconds, slot, a.class
    on conflict (connection_id, slot_seconds, slot, class) do update
    set events = s.events + excluded.events, kept = s.kept + excluded.kept;
  else
    insert into matriarch.log_sums as s (connection_id, slot_seconds, slot, class, events, kept)
    select
      d.connection_id, w.seconds, date_bin(make_interval(secs => w.seconds), d.minute, timestamptz 'epoch') as slot, d.class,
      sum(d.events), sum(d.kept)
    from (
      select a.connection_id, a.minute, a.class, a.events, a.kept from added a
      union all
      select b.connection_id, b.minute, b.class, -b.events, -b.kept from replaced b
    ) d, unnest(array[600, 3600, 21600]) as w (seconds)
    group by d.connection_id, w.seconds, slot, d.class
    order by d.connection_id, w.seconds, slot, d.class
    on conflict (connection_id, slot_seconds, slot, class) do update
    set events = s.events + excluded.events, kept = s.kept + excluded.kept;
  end if;
  return null;
end
$$;

-- From here to the commit nothing else is counted: what is summed below is all of it.
create trigger log_counts_summed after insert on matriarch.log_counts
referencing new table as added
for each statement execute function matriarch.add_log_sums();
create trigger log_counts_summed_again after update on matriarch.log_counts
referencing old table as replaced new table as added
for each statement execute function matriarch.add_log_sums();

-- Log writers wait meanwhile, so a large datastore is summed from this hour on: what is older is read as before.
insert into matriarch.log_sums_state (whole_from)
select case when count(*) > 100000 then date_trunc('hour', now(), 'UTC') else 'epoch' end
from (select from matriarch.log_counts limit 100001) c;

insert into matriarch.log_sums (connection_id, slot_seconds, slot, class, events, kept)
select
  c.connection_id, w.seconds, date_bin(make_interval(secs => w.seconds), c.minute, timestamptz 'epoch') as slot, c.class,
  sum(c.events), sum(c.kept)
from matriarch.log_counts c, unnest(array[600, 3600, 21600]) as w (seconds)
where c.minute >= (select s.whole_from from matriarch.log_sums_state s)
group by c.connection_id, w.seconds, slot, c.class;
