// Entries of spock.resolutions of the last 15 minutes.
import { rule as spockRecentResolutionsHigh } from './spock-recent-resolutions-high.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'spock_recent_resolutions_present',
  category: 'replication',
  metric: 'spock_resolutions.recent_count',
  operator: '>=',
  threshold: 1,
  severity: 'warning',
  requires: 'spock',
  followsFrom: ['spock_recent_resolutions_high'],
  title: 'Spock conflicts',
  reading: 'Conflicts resolved in the last 15 minutes: {value}',
  meaning: spockRecentResolutionsHigh.meaning,
  remedy: spockRecentResolutionsHigh.remedy,
  evidence: spockRecentResolutionsHigh.evidence,
});
