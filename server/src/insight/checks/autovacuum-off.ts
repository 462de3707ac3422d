// Servers on which autovacuum does nothing, or cannot know what to do.
import { byReload } from './remedies.ts';
import { defineCheck, type Problem } from './types.ts';

const OFF = {
  autovacuum: 'Autovacuum is off: dead rows stay until somebody vacuums, and statistics grow old.',
  track_counts: 'track_counts is off: autovacuum does not know which tables have changed, and does nothing.',
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
  title: 'Autovacuum is off',
  meaning:
    'Tables and indexes grow without need, and plans are made with statistics that are no longer true.',
  advice: 'Switch it on again.',
  caution:
    'It will first work off what has gathered, which reads and writes much; autovacuum_vacuum_cost_limit bounds that.',
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
