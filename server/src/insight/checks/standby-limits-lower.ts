// Standbys with lower limits than their primary: they stop to replay, and do not start.
import { receiver } from './replicas.ts';
import { defineCheck, foundOnServer, NOTHING, unknown } from './types.ts';

/** What a standby has to have as much of as its primary. */
const LIMITS = [
  'max_connections',
  'max_worker_processes',
  'max_wal_senders',
  'max_prepared_transactions',
  'max_locks_per_transaction',
] as const;

const PAUSED = new Set(['paused', 'pause requested']);

export const check = defineCheck({
  name: 'standby_limits_lower',
  category: 'replication',
  title: 'Standby limits lower than on the primary',
  meaning: 'The standby pauses replay, and does not restart until the limits are raised.',
  advice: 'Raise the limits on the standby, and restart it.',
  caution:
    'The restart causes downtime of the standby. Raise limits on standbys first, and lower them on the primary first.',
  source: 'hot-standby.html#HOT-STANDBY-ADMIN',
  proof: 'stated',
  where: 'standby',
  comparesMembers: true,
  reads: { pg_settings: ['name', 'setting'] },
  uses: { pg_stat_replication: ['role', 'replay_pause_state'] },
  judge: (facts) => {
    const primary = facts.members.find((member) => member.isStandby === false);
    if (!primary) return NOTHING;
    if (primary.databasesRead('pg_settings').size === 0)
      return unknown('The settings of the primary are unknown.');
    const lower = LIMITS.flatMap((name) => {
      const here = facts.settingNumber(name);
      const there = primary.settingNumber(name);
      return here !== undefined && there !== undefined && here < there ? [{ name, here, there }] : [];
    });
    if (lower.length === 0) return NOTHING;
    const isPaused = PAUSED.has(receiver(facts)?.text('replay_pause_state') ?? '');
    const list = lower.map(({ name, here, there }) => `${name} is ${here} (primary ${there})`).join(', ');
    return foundOnServer({
      object_name: lower.map(({ name }) => name).join(', '),
      object_key: 'limits',
      severity: isPaused ? 'critical' : 'warning',
      message: `Standby limits are lower than on the primary${isPaused ? ', and replay is paused' : ''}: ${list}.`,
      figure: null,
      evidence: Object.fromEntries([
        ...lower.map(({ name, here }) => [name, here] as const),
        ...lower.map(({ name, there }) => [`primary_${name}`, there] as const),
        ['is_paused', isPaused] as const,
      ]),
      remedy: [
        ...lower.map(({ name, there }) => `alter system set ${name} = ${there};`),
        '-- Restart the standby afterwards.',
      ].join('\n'),
    });
  },
});
