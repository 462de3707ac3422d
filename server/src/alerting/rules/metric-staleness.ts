// The age of the newest sample of each probe, in its intervals.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'metric_staleness',
  category: 'availability',
  metric: 'probe_staleness_ratio',
  operator: '>',
  threshold: 3,
  severity: 'warning',
  title: 'Samples are missing',
  meaning:
    'A probe has brought nothing for more than three of its intervals: what is shown of it is old, and its rules judge nothing.',
  remedy:
    'Coverage of the server says why, and what mends it. Where samples of pg_connectivity are missing, no collector reads the server: start one.',
});
