// Servers that do not count what autovacuum and everybody who watches them go by.

import type { Severity } from '../../alerting/rules/types.ts';
import { hiddenSettings, ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, type Problem } from './types.ts';

const NEEDED: Readonly<Record<string, { lacks: string; severity: Severity }>> = {
  track_counts: { lacks: 'autovacuum does not run, and use of tables is not counted', severity: 'critical' },
  track_activities: { lacks: 'nobody sees what sessions do', severity: 'warning' },
};
const NAMES = Object.keys(NEEDED);

export const check = defineCheck({
  name: 'statistics_off',
  category: 'coverage',
  title: 'The server does not count what it does',
  meaning: 'What is not counted cannot be judged; without track_counts autovacuum does not work at all.',
  advice: 'Switch it on.',
  caution: 'It costs next to nothing, and is on in PostgreSQL itself.',
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
          message: `The server runs with ${name} = off: ${needed.lacks}.`,
          figure: null,
          evidence: { [name]: 'off' },
          remedy: settingRemedy(facts, { [name]: 'on' }),
        },
      ];
    }),
    unknown: hiddenSettings(facts, NAMES),
  }),
});
