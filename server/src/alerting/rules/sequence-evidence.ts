// How to see which sequences run out, for the rules that tell of it. Guards: the same statement whatever the threshold.

/** For whoever may read the sequences: of others pg_sequences has no last value. */
export const SEQUENCES_BY_USAGE = `select s.schemaname, s.sequencename, s.data_type, s.last_value, s.max_value,
      round(100.0 * s.last_value / s.max_value, 1) as percent, d.refobjid::regclass as of_table, a.attname as of_column,
      a.atttypid::regtype as column_type
    from pg_sequences s
    join pg_class c on c.relname = s.sequencename and c.relnamespace = quote_ident(s.schemaname)::regnamespace
    left join pg_depend d on d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i') and d.refobjsubid > 0
    left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where s.last_value is not null
    order by s.last_value::float8 / case a.atttypid::int when 21 then 32767 when 23 then 2147483647 else s.max_value end desc
    limit 20`;
