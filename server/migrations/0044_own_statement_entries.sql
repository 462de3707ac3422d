-- How many entries of the server's pg_stat_statements are ours, and the most that we take there.

alter table matriarch.probe_costs
  -- Both of the probe `collector` only; null while nothing counts statements there.
  add column statement_entries integer,
  add column statement_entries_limit integer;
