// Entries of spock.resolutions of the last 15 minutes.
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
  meaning: 'Nodes changed the same rows. Spock kept one change and discarded the other.',
  remedy: 'Write each row on one node only. Otherwise check that Spock kept the right change.',
  evidence: {
    sql: `select *
    from spock.resolutions
    order by log_time desc
    limit 20`,
  },
});
