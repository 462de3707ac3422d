// Settings that were changed and do not hold yet.
import { rule } from '../../alerting/rules/settings-pending-restart.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'pending_restart',
  category: 'settings',
  title: rule.title,
  figureName: 'settings pending',
  meaning: 'They take effect at the next restart, planned or not.',
  advice: 'Plan the restart, or set them to the values in force again.',
  caution: 'If the server does not start with the new values, you notice it only then.',
  source: 'view-pg-settings.html',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting', 'unit', 'pending_restart', 'sourcefile', 'sourceline'] },
  judge: (facts) => {
    const waiting = facts.rows('pg_settings').filter((row) => row.flag('pending_restart'));
    if (waiting.length === 0) return NOTHING;
    const names = waiting.map((row) => row.text('name') ?? '');
    const shown = names.length > 5 ? `${names.slice(0, 5).join(', ')} and others` : names.join(', ');
    const isOne = names.length === 1;
    return foundOnServer({
      severity: rule.severity,
      message: `${names.length} setting${isOne ? ' is' : 's are'} pending restart: ${shown}.`,
      figure: { value: names.length, unit: 'count' },
      evidence: { pending_restart: names.length },
      rows: waiting.map((row) => ({
        name: row.text('name'),
        setting: row.text('setting'),
        unit: row.text('unit'),
        sourcefile: row.text('sourcefile'),
        sourceline: row.number('sourceline'),
      })),
      remedy:
        'select name, setting, unit, sourcefile, sourceline\nfrom pg_settings\nwhere pending_restart;\n-- Restart the server afterwards.',
    });
  },
  figureAfter: (facts) => facts.rows('pg_settings').filter((row) => row.flag('pending_restart')).length,
});
