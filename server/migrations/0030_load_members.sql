-- Rollups of active sessions hold the largest statements, roles, clients and so on of each span (store/layout/tiers.ts).
-- Where they are there already they are read as soon as this version runs, before it writes them.
do $$
declare
  tier text;
begin
  foreach tier in array array['m15', 'h1'] loop
    execute format(
      'alter table if exists metrics.%I
        add column if not exists by_wait_event text,
        add column if not exists by_statement text,
        add column if not exists by_user text,
        add column if not exists by_application text,
        add column if not exists by_client text,
        add column if not exists by_database text',
      'pg_active_sessions__' || tier
    );
  end loop;
end
$$;
