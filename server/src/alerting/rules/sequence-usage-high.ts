// Sequences and the integer columns they feed, on their way to the end.
import { SEQUENCES_BY_USAGE } from './sequence-evidence.ts';
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
  evidence: { sql: SEQUENCES_BY_USAGE },
  isOurs: true,
});
