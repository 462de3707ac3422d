-- Since when: a server that cannot be read, and a standby that receives nothing.
alter table matriarch.connection_states add column failing_since timestamptz;
update matriarch.connection_states set failing_since = last_error_at where connection_error is not null;
alter table matriarch.topology_nodes add column receiver_missing_since timestamptz;
