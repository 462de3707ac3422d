// The age of the newest sample of each probe, in its intervals.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'metric_staleness',
  category: 'availability',
  metric: 'probe_staleness_ratio',
  operator: '>',
  threshold: 3,
  severity: 'warning',
  title: 'Missing samples',
  joins: 'of',
  reading: 'Newest sample is {value} intervals old',
  meaning: 'Its charts are outdated, and its alert rules are not evaluated.',
  remedy:
    'Coverage of the server shows the reason and the fix. If samples of pg_connectivity are missing, no collector reads the server. Start one.',
});
