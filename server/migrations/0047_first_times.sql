-- When the first object of a database was seen is one look into an index, however many came later: what was there at the first look was
-- not made.
create index objects_first_of_database_idx on metrics.objects (connection_id, kind, database_name, first_seen);
