-- While a row is here, no notification goes out: those of a restored copy wait until a person lets them go.
create table matriarch.notification_holds (
  id boolean not null default true,
  held_at timestamptz not null,
  -- A sentence for people.
  reason text not null,
  constraint notification_holds_pkey primary key (id),
  constraint notification_holds_one check (id)
);
