-- Statements are found by the words in their texts, on all servers at once. Words are what stands between ASCII signs, so
-- that order_items is found by items as well (store/read/statements-found.queries.ts says the same expression).
create index queries_words_idx on metrics.queries using gin (
  to_tsvector('simple'::regconfig, regexp_replace(left(query_text, 4096), '[\x01-/:-@\[-`{-\x7f]+', ' ', 'g'))
);
