-- Which collectors are alive, so that each takes its fair share of the connections. One without any lease counts too.
create table matriarch.collectors (
  owner text primary key,
  started_at timestamptz not null default now(),
  expires_at timestamptz not null
);
