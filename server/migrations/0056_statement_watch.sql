-- When a page last showed the statements of the server: while that is recent, they are read more often.
alter table matriarch.connections add column statements_watched_at timestamptz;
