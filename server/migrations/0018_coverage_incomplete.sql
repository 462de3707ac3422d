-- Also: incomplete, because a setting or an old version of an extension leaves values empty.
alter table metrics.current_snapshots
  drop constraint current_snapshots_cause_known,
  add constraint current_snapshots_cause_known check (
    cause in ('masked', 'incomplete', 'missing_extension', 'missing_grant', 'not_applicable', 'disabled')
  );
