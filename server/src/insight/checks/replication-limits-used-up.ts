// Servers that have no slot or sender left for a standby, a subscription or a backup.
import type { Facts } from './facts.ts';
import { byRestart } from './remedies.ts';
import { defineCheck, type Problem } from './types.ts';

/** So many should be free: one for a backup, one for a standby that is built anew. */
const FREE = 2;

const LIMITS = [
  {
    setting: 'max_replication_slots',
    what: 'replication slots',
    used: (facts: Facts) => facts.rows('pg_replication_slots').length,
  },
  {
    setting: 'max_wal_senders',
    what: 'WAL senders',
    used: (facts: Facts) =>
      facts.rows('pg_stat_replication').filter((row) => row.text('role') === 'primary').length,
  },
] as const;

export const check = defineCheck({
  name: 'replication_limits_used_up',
  category: 'replication',
  title: 'Replication slots or WAL senders almost exhausted',
  figureName: 'left',
  meaning: 'The next backup, standby or subscription cannot connect. A disconnected one cannot reconnect.',
  advice: 'Raise the limit, or drop unneeded slots and connections.',
  caution: 'It needs a restart, on standbys before the primary.',
  source: 'runtime-config-replication.html#RUNTIME-CONFIG-REPLICATION-SENDER',
  proof: 'stated',
  reads: {
    pg_settings: ['name', 'setting'],
    pg_replication_slots: ['slot_name'],
    pg_stat_replication: ['role'],
  },
  judge: (facts) => ({
    found: LIMITS.flatMap(({ setting, what, used }): Problem[] => {
      const most = facts.settingNumber(setting);
      const count = used(facts);
      // With none in use a low limit is as somebody wished it.
      if (most === undefined || count === 0 || most - count >= FREE) return [];
      return [
        {
          database_name: '',
          object_name: setting,
          severity: count >= most ? 'warning' : 'info',
          message: `${count} of ${most} ${what} are in use.`,
          figure: { value: most - count, unit: 'count', promised: most },
          evidence: { [setting]: most, in_use: count },
          remedy: byRestart(setting, String(2 * most)),
        },
      ];
    }),
  }),
});
