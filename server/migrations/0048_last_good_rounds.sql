-- When background work succeeded last, also while it fails: its age is what this product shows of itself.
alter table matriarch.part_states add column succeeded_at timestamptz;
