// Multixact ids that run out within two weeks, as vacuum does not bring their age down.
import { rule as multixactAgeHigh } from './multixact-age-high.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'multixact_ids_end_soon',
  category: 'transactions',
  metric: 'pg_wraparound.mxid_days_left',
  operator: '<',
  threshold: 14,
  severity: 'warning',
  // Found twice in a row: one odd day is no date.
  lastsSeconds: 10_800,
  followsFrom: ['multixact_wraparound'],
  joins: 'in',
  title: 'Multixact ID wraparound soon',
  reading: 'Multixact IDs run out in {value}',
  meaning:
    'Autovacuum does not bring their age down. PostgreSQL then refuses commands that need a new multixact ID. Freezing large tables may take days.',
  remedy: multixactAgeHigh.remedy,
  evidence: multixactAgeHigh.evidence,
  isOurs: true,
});
