-- Where closed hours of samples go: packed hours and rollups. Their tables are made from the probes' declarations, as
-- those of the samples are.
create table matriarch.tier_tables (
  table_name text primary key,
  probe text not null,
  -- packed, or the rollup's tier: m1, m15, h1.
  tier text not null,
  retention_days integer not null,
  -- Everything before is there, but for what arrived later than that.
  filled_until timestamptz,
  constraint tier_tables_tier_known check (tier in ('packed', 'm1', 'm15', 'h1'))
);

-- Which columns a packed hour holds, in order: the same few lists again and again.
create table matriarch.packed_layouts (
  layout_id serial primary key,
  names text[] not null,
  constraint packed_layouts_names_key unique (names)
);
