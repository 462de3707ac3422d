// Servers that do not count what autovacuum and everybody who watches them go by.

import type { Severity } from '../../alerting/rules/types.ts';
import { hiddenSettings, ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, type Problem } from './types.ts';

const NEEDED: Readonly<Record<string, { lacks: string; severity: Severity }>> = {
  track_counts: { lacks: 'autovacuum does not run, and table usage is not counted', severity: 'critical' },
  track_activities: { lacks: 'the activity of sessions is hidden', severity: 'warning' },
};
const NAMES = Object.keys(NEEDED);

export const check = defineCheck({
  name: 'statistics_off',
  category: 'coverage',
  title: 'Statistics collection disabled',
  meaning: 'Without statistics, problems stay hidden. Without track_counts, autovacuum does not run at all.',
  advice: 'Turn it on.',
  caution: 'It costs almost nothing and is on by default.',
  source: 'runtime-config-statistics.html',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) => ({
    found: NAMES.flatMap((name): Problem[] => {
      const needed = NEEDED[name];
      if (!needed || ofServer(facts, name)?.text('setting') !== 'off') return [];
      return [
        {
          database_name: '',
          object_name: name,
          severity: needed.severity,
          message: `${name} is off: ${needed.lacks}.`,
          figure: null,
          evidence: { [name]: 'off' },
          remedy: settingRemedy(facts, { [name]: 'on' }),
        },
      ];
    }),
    unknown: hiddenSettings(facts, NAMES),
  }),
});
