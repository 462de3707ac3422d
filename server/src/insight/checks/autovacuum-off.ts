// Servers on which autovacuum does nothing, or cannot know what to do.
import { byReload } from './remedies.ts';
import { defineCheck, type Problem } from './types.ts';

const OFF = {
  autovacuum: 'Autovacuum is off. Dead tuples stay until a manual vacuum, and statistics become stale.',
  track_counts: 'track_counts is off. Autovacuum cannot see which tables changed, and does nothing.',
} as const;

const foundOf = (name: keyof typeof OFF): Problem => ({
  database_name: '',
  object_name: name,
  severity: 'critical',
  message: OFF[name],
  figure: null,
  evidence: { [name]: 'off' },
  remedy: byReload(name, 'on'),
});

export const check = defineCheck({
  name: 'autovacuum_off',
  category: 'vacuum',
  title: 'Autovacuum disabled',
  meaning: 'Tables and indexes bloat, and plans are based on stale statistics.',
  advice: 'Turn it on again.',
  caution:
    'It first works through the backlog, which causes many reads and writes. autovacuum_vacuum_cost_limit limits that.',
  source: 'runtime-config-autovacuum.html#GUC-AUTOVACUUM',
  proof: 'stated',
  where: 'primary',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) => ({
    found: (['autovacuum', 'track_counts'] as const)
      .filter((name) => facts.setting(name) === 'off')
      .map(foundOf),
  }),
});
