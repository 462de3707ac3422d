-- A stored password belongs to the destination it was entered for: host, hostaddr, port, user and TLS. What is stored
-- already was entered for where its connection leads now; who entered it is not known.
alter table matriarch.connections
  -- The sealed password opens with exactly this destination only.
  add column password_destination jsonb,
  -- Null: the program itself, somebody who was deleted since, or from before this was kept.
  add column password_entered_by integer references matriarch.users (id) on delete set null,
  add column password_entered_at timestamptz;

update matriarch.connections
set password_destination = jsonb_build_object(
  'host', host,
  'hostaddr', hostaddr,
  'port', port,
  'username', username,
  'ssl_mode', ssl_mode,
  'ssl_root_cert_path', ssl_root_cert_path
)
where password_encrypted is not null;

alter table matriarch.connections
  add constraint connections_password_bound check ((password_encrypted is null) = (password_destination is null));
