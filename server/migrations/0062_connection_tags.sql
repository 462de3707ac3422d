-- Words or key=value pairs that people give a server, to be searched by.
alter table matriarch.connections add column tags text[] not null default '{}';
