-- The group of clusters that nobody put into another, by the word that says so; a name that somebody gave stays.
update matriarch.cluster_groups g
set name = 'Ungrouped'
where g.is_default
  and g.name = 'Servers'
  and not exists (select from matriarch.cluster_groups o where lower(o.name) = 'ungrouped');
