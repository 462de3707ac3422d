-- Autovacuum analyzes texts of statements anew whenever a tenth of them are new. Sorting thousands of texts, and splitting each
-- into words, took more of the datastore than to store them. No statement is planned by what the most common texts are; without
-- statistics a search still takes the index of words.
alter table metrics.queries alter column query_text set statistics 0;
alter index metrics.queries_words_idx alter column 1 set statistics 0;
