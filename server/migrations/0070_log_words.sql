-- Words of events of the log, so that a search finds rare ones among millions: those of the texts in small letters, by the rule of
-- search-terms.ts, and what filters ask for, as name=value. Text so long that no index should hold it is '*', which every search reads.
create function matriarch.log_words(
  connection_id integer, occurred_at timestamptz, class text, severity text, sqlstate text, database_name text, user_name text,
  application_name text, process_id text, queryid text, message text, detail text, hint text, context text, statement text
) returns tsvector language sql immutable parallel safe cost 10000 as $$
  select array_to_tsvector(array_agg(left(w.word, 100)))
  from (
    select unnest(array[
      'day=' || connection_id || '/' || floor(extract(epoch from occurred_at) / 86400)::int,
      'class=' || class, 'severity=' || severity, 'sqlstate=' || sqlstate, 'database_name=' || database_name,
      'user_name=' || user_name, 'application_name=' || application_name, 'process_id=' || process_id, 'queryid=' || queryid
    ]) as word
    union all
    select
      regexp_split_to_table(case when length(t.texts) <= 20000 then lower(t.texts) else '' end, '[^a-z0-9]+')
    from (select concat_ws(E'\n', message, detail, hint, context, statement) as texts) t
    union all
    select '*' where length(concat_ws(E'\n', message, detail, hint, context, statement)) > 20000
  ) w
  where w.word <> ''
$$;

-- Rows that are there already get their words bit by bit while the collector tidies.
alter table matriarch.log_events add column has_words boolean not null default false;

create index log_events_words_idx on matriarch.log_events using gin (
  matriarch.log_words(
    connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id, queryid,
    message, detail, hint, context, statement
  )
) with (gin_pending_list_limit = 512) where has_words;
create index log_events_no_words_idx on matriarch.log_events (connection_id, occurred_at desc, id desc) where not has_words;
