// Standbys that would be another server than the primary after a failover. Guards: only settings that ought to be alike, and only
// where the primary is watched as well.
import type { Facts } from './facts.ts';
import { ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, NOTHING, type Problem } from './types.ts';

const ALIKE = [
  'autovacuum',
  'autovacuum_freeze_max_age',
  'checkpoint_timeout',
  'effective_cache_size',
  'fsync',
  'full_page_writes',
  'maintenance_work_mem',
  'max_wal_size',
  'password_encryption',
  'random_page_cost',
  'shared_buffers',
  'shared_preload_libraries',
  'synchronous_commit',
  'wal_level',
  'work_mem',
] as const;
/** They decide what becomes of the data after a failover. */
const GRAVE: ReadonlySet<string> = new Set(['autovacuum', 'fsync', 'full_page_writes', 'wal_level']);

function foundOf(facts: Facts, primary: Facts, name: string): Problem[] {
  const here = ofServer(facts, name)?.text('setting') ?? null;
  const there = ofServer(primary, name)?.text('setting') ?? null;
  if (here === null || there === null || here === there) return [];
  const unit = facts.settingRow(name)?.text('unit') ?? null;
  const shown = (value: string) => (unit === null ? value || 'empty' : `${value} (in ${unit})`);
  // A list of names is no text in quotes.
  const remedy =
    name === 'shared_preload_libraries'
      ? "-- In postgresql.conf of this standby, as on the primary: shared_preload_libraries. Then restart it.\nselect setting from pg_settings where name = 'shared_preload_libraries';"
      : settingRemedy(facts, { [name]: there });
  return [
    {
      database_name: '',
      object_name: name,
      severity: GRAVE.has(name) ? 'warning' : 'info',
      message: `${name} is ${shown(here)} here and ${shown(there)} on the primary.`,
      figure: null,
      evidence: { here, primary: there, unit },
      remedy,
    },
  ];
}

export const check = defineCheck({
  name: 'standby_settings_differ',
  category: 'settings',
  title: 'Setting differs between standby and primary',
  meaning: 'After a failover, the server behaves differently.',
  advice: 'Use the same value as on the primary, or document the difference.',
  caution: 'A smaller standby, or one for reports, may differ on purpose.',
  source: 'warm-standby.html#STANDBY-PLANNING',
  proof: 'stated',
  where: 'standby',
  comparesMembers: true,
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) => {
    const primary = facts.members.find((member) => member.isStandby === false);
    if (!primary || primary.databasesRead('pg_settings').size === 0) return NOTHING;
    return { found: ALIKE.flatMap((name) => foundOf(facts, primary, name)) };
  },
});
