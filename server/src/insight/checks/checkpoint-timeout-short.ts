// Checkpoints that come so often that most of the WAL is whole pages.
import { shownValue } from '../../kernel/shown-value.ts';
import { aboutSetting, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, NOTHING } from './types.ts';

/** PostgreSQL's own value. */
const USUAL_SECONDS = 300;
const NOTABLE_SECONDS = 120;

export const check = defineCheck({
  name: 'checkpoint_timeout_short',
  category: 'settings',
  title: 'Short checkpoint_timeout',
  figureName: 'checkpoint interval',
  meaning: 'After each checkpoint, the first change of a page writes the full page to WAL.',
  advice: 'Raise checkpoint_timeout.',
  caution: 'Crash recovery may take longer, because it starts at the last checkpoint.',
  source: 'wal-configuration.html',
  proof: 'stated',
  where: 'primary',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) => {
    const seconds = facts.settingSeconds('checkpoint_timeout');
    if (seconds === undefined || seconds >= USUAL_SECONDS) return NOTHING;
    return aboutSetting('checkpoint_timeout', {
      severity: seconds < NOTABLE_SECONDS ? 'warning' : 'info',
      message: `A checkpoint runs every ${shownValue(seconds, 'seconds')} (default ${shownValue(USUAL_SECONDS, 'seconds')}).`,
      figure: { value: seconds, unit: 'seconds', promised: USUAL_SECONDS },
      evidence: { checkpoint_timeout: seconds, full_page_writes: facts.setting('full_page_writes') ?? null },
      remedy: settingRemedy(facts, { checkpoint_timeout: '5min' }),
    });
  },
  figureAfter: (facts) => facts.settingSeconds('checkpoint_timeout') ?? null,
});
