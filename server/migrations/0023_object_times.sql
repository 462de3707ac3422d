-- Objects that were made within a window are found by when they were first seen.
create index objects_first_seen_idx on metrics.objects (first_seen);
