-- Statements whose plan in the log is slower than one before, with what changed, as they were found last: finding what changed reads the
-- history of the server, so no rule does. Made anew every minute from the history of plans.
create table matriarch.plan_regressions (
  connection_id integer primary key references matriarch.connections (id) on delete cascade,
  made_at timestamptz not null,
  -- See KeptRegression in store/read/plan-regressions.queries.ts.
  items jsonb not null
);

-- Logs that come by syslog. Bytes that were dropped since too many came at once, and messages that never became whole, are gaps.
alter table matriarch.log_sources drop constraint log_sources_format_known;
alter table matriarch.log_sources add constraint log_sources_format_known
  check (format in ('jsonlog', 'csvlog', 'stderr', 'otlp', 'syslog'));
alter table matriarch.log_gaps drop constraint log_gaps_reason_known;
alter table matriarch.log_gaps add constraint log_gaps_reason_known
  check (
    reason in ('removed', 'truncated', 'replaced', 'format_changed', 'line_too_long', 'too_many', 'incomplete')
  );
