-- What runs out on each server, as it was found last: finding it reads a month of samples, so nobody's request does. Made anew every
-- few hours from what was collected, so nothing is lost with a row.
create table matriarch.runway (
  connection_id integer primary key references matriarch.connections (id) on delete cascade,
  made_at timestamptz not null,
  -- See RunwayRow in store/read/runway.ts.
  items jsonb not null
);
