// A server that counts what it reads and not how long that takes.
import { aboutSetting, hiddenSettings, ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck } from './types.ts';

export const check = defineCheck({
  name: 'io_timing_off',
  category: 'settings',
  title: 'Reads and writes are not timed',
  meaning: 'Nobody can tell whether a slow statement waits for the disk, or how fast the disk is.',
  advice: 'Switch track_io_timing on.',
  caution: 'It reads the clock twice for each read; pg_test_timing tells what that costs on the machine.',
  source: 'runtime-config-statistics.html#GUC-TRACK-IO-TIMING',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) => {
    const row = ofServer(facts, 'track_io_timing');
    if (row?.text('setting') !== 'off')
      return { found: [], unknown: hiddenSettings(facts, ['track_io_timing']) };
    return aboutSetting('track_io_timing', {
      severity: 'info',
      message: 'The server runs with track_io_timing = off: the time of reads and writes is unknown.',
      figure: null,
      evidence: { track_io_timing: 'off' },
      remedy: settingRemedy(facts, { track_io_timing: 'on' }),
    });
  },
});
