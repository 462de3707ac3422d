-- Changes between two times are found by when versions of facts began and ended, of however many servers.
create index facts_valid_from_idx on metrics.facts (valid_from);
create index facts_valid_to_idx on metrics.facts (valid_to) where valid_to is not null;
