// Subscriptions that apply nothing: switched off, or without a worker. As grave as the alert of the same fact.
import type { Item } from './facts.ts';
import { defineCheck, type Problem } from './types.ts';
import { quoted } from './units.ts';

function foundOf(row: Item): Problem {
  const name = row.text('subname') ?? '';
  const isOff = row.flag('subenabled') === false;
  const errors = row.number('apply_error_count');
  const failed = errors ? `. Apply errors since the statistics reset: ${errors}` : '';
  return {
    database_name: row.text('datname') ?? '',
    object_name: name,
    object_key: row.text('subid') ?? name,
    severity: 'critical',
    message: isOff
      ? `Subscription "${name}" is disabled${failed}.`
      : `Subscription "${name}" has no apply worker${failed}.`,
    figure: null,
    evidence: {
      subenabled: row.flag('subenabled'),
      apply_error_count: errors,
      sync_error_count: row.number('sync_error_count'),
    },
    remedy: isOff
      ? `alter subscription ${quoted(name)} enable;`
      : `-- The log shows why the worker ends. After the fix it restarts by itself within seconds.
alter subscription ${quoted(name)} disable;
alter subscription ${quoted(name)} enable;`,
  };
}

export const check = defineCheck({
  name: 'subscription_stopped',
  category: 'replication',
  title: 'Stopped subscription',
  meaning: 'Changes of the publisher are not applied, and its slot retains WAL meanwhile.',
  advice: 'Fix the error in the log and enable the subscription, or drop it if unneeded.',
  caution: 'A subscription with disable_on_error fails again until the conflicting row is fixed or skipped.',
  source: 'logical-replication-conflicts.html',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_stat_subscription: [
      'subid',
      'subname',
      'is_stopped',
      'datname',
      'subenabled',
      'apply_error_count',
      'sync_error_count',
    ],
  },
  judge: (facts) => ({
    found: facts
      .rows('pg_stat_subscription')
      .filter((row) => row.flag('is_stopped') === true)
      .map(foundOf),
  }),
});
