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
  title: 'spock resolved conflicts',
  meaning:
    'Nodes changed the same rows within the last 15 minutes, and spock kept one side: the other change is lost.',
  remedy: 'Let each row be written on one node only, or check that the side that was kept is the right one.',
  evidence: {
    sql: `select *
    from spock.resolutions
    order by log_time desc
    limit 20`,
  },
});
