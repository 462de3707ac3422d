// Sequences and the integer columns they feed, near their end.
import { SEQUENCES_BY_USAGE } from './sequence-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'sequence_usage_critical',
  category: 'maintenance',
  metric: 'pg_sequence_usage.exhausted_percent',
  operator: '>',
  threshold: 90,
  severity: 'critical',
  title: 'Sequence almost exhausted',
  joins: ':',
  reading: '{value} of the values are used',
  meaning:
    'After the last value, every insert that needs a new one fails. An integer column may run out before its sequence.',
  remedy:
    'Convert the column and its sequence to bigint early. ALTER TABLE rewrites the table under an exclusive lock.',
  evidence: { sql: SEQUENCES_BY_USAGE },
  isOurs: true,
});
