-- Where a look could not read all that was there, the time of the newest event that it read: what came after is not known yet.
-- Null: all was read.
alter table matriarch.log_sources add column read_until timestamptz;
