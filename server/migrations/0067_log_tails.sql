-- While a page follows the log of a server, a collector looks at it every second.
alter table matriarch.connections add column logs_watched_at timestamptz;
