-- A group can ask a second factor of its members, those of groups below it included, whatever the settings ask of everyone.
alter table matriarch.groups add column requires_second_factor boolean not null default false;
