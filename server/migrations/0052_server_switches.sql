-- Behind a proxy or a virtual IP another server may answer from one moment to the next. What differs between the two is no change of
-- anything: a version that such a reading opened or closed says so.
alter table metrics.facts
  add column opened_by_switch boolean not null default false,
  add column closed_by_switch boolean not null default false;
