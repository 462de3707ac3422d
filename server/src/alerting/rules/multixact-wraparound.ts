// Age of the oldest multixact id, template databases included.
import { rule as multixactAgeHigh } from './multixact-age-high.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'multixact_wraparound',
  category: 'transactions',
  metric: 'pg_wraparound.mxid_percent',
  operator: '>',
  threshold: 75,
  severity: 'critical',
  joins: 'in',
  title: 'Multixact ID wraparound',
  reading: 'Multixact ID age is {value} of the limit',
  meaning:
    'PostgreSQL refuses commands that need a new multixact ID when 3 million of the 2,147,483,647 are left.',
  remedy: multixactAgeHigh.remedy,
  evidence: multixactAgeHigh.evidence,
  isOurs: true,
});
