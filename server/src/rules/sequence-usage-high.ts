// Sequences and the integer columns they feed, on their way to the end.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'sequence_usage_high',
  category: 'maintenance',
  metric: 'pg_sequence_usage.exhausted_percent',
  operator: '>',
  threshold: 75,
  severity: 'warning',
  followsFrom: ['sequence_usage_critical'],
  title: 'A sequence or its column runs out of numbers',
  meaning:
    'When the last number is given out, every insert that needs another one fails. A sequence can count further than an integer column can hold.',
  remedy:
    'Turn the column and its sequence into bigint, before it is urgent: alter table rewrites the table under a lock.',
  evidence: {
    sql: `select s.schemaname, s.sequencename, s.data_type, s.last_value, s.max_value,
      round(100.0 * s.last_value / s.max_value, 1) as percent, d.refobjid::regclass as of_table, a.attname as of_column,
      a.atttypid::regtype as column_type
    from pg_sequences s
    join pg_class c on c.relname = s.sequencename and c.relnamespace = quote_ident(s.schemaname)::regnamespace
    left join pg_depend d on d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i') and d.refobjsubid > 0
    left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where s.last_value is not null
    order by s.last_value::float8 / case a.atttypid::int when 21 then 32767 when 23 then 2147483647 else s.max_value end desc
    limit 20`,
  },
  isOurs: true,
});
