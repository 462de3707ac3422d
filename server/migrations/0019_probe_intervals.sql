-- A probe that is built to run more often than every 5 seconds may be set to what it is built to; which ones these are is
-- known to the program, which refuses less than 5 seconds for all others.
alter table matriarch.probe_configs
  drop constraint probe_configs_interval_range,
  add constraint probe_configs_interval_range check (interval_seconds between 1 and 86400);
alter table matriarch.probe_overrides
  drop constraint probe_overrides_interval_range,
  add constraint probe_overrides_interval_range check (interval_seconds between 1 and 86400);
