// Databases whose statements write much to temporary files, by what is counted since the statistics began.
import { shownTime, shownValue } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import {
  type Counted,
  countedBriefly,
  countedFrom,
  countedWords,
  isCountedBriefly,
  rateIn,
  SINCE_UNKNOWN,
} from './counted.ts';
import type { Facts, Item } from './facts.ts';
import { inMegabytes, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, type Problem, type Unknown } from './types.ts';

const GIB = 1024 ** 3;
/** Each day. */
const NOTABLE_BYTES = 10 * GIB;
const GRAVE_BYTES = 48 * GIB;
const MOST_WORK_MEM = 256 * 1024 ** 2;

interface Spill {
  readonly counted: Counted;
  readonly bytes: number;
  /** What is counted for less than a day is not multiplied by more than a day has hours. */
  readonly daily: number;
}

function spillOf(facts: Facts, item: Item): Spill | null {
  const since = facts.countedSince(item.text('datname') ?? '');
  const bytes = item.number('temp_bytes');
  if (since === null || bytes === null) return null;
  const counted = countedFrom(since, facts.now);
  return { counted, bytes, daily: rateIn(bytes, counted, DAY_MS) };
}

function foundOf(facts: Facts, item: Item, { counted, daily, bytes }: Spill): Problem {
  const files = item.number('temp_files') ?? 0;
  const each = files > 0 ? bytes / files : 0;
  const work = facts.settingBytes('work_mem') ?? 0;
  const amount =
    counted.ms >= DAY_MS
      ? `${shownValue(daily, 'bytes')} of temporary files per day since ${shownTime(counted.since)}`
      : `${shownValue(bytes, 'bytes')} of temporary files ${countedWords(counted)}`;
  return {
    database_name: item.text('datname') ?? '',
    object_name: '',
    severity: daily >= GRAVE_BYTES ? 'warning' : 'info',
    message: `Statements wrote ${amount}, ${shownValue(each, 'bytes')} each. work_mem is ${shownValue(work, 'bytes')}.`,
    // Of a day, or of what there is of it.
    figure: { value: Math.min(daily, bytes), unit: 'bytes' },
    evidence: { temp_bytes: bytes, temp_files: files, work_mem: work },
    remedy: settingRemedy(facts, {
      work_mem: inMegabytes(Math.min(MOST_WORK_MEM, Math.max(2 * work, 2 * each))),
      log_temp_files: '64MB',
    }),
    since: counted.since,
  };
}

export const check = defineCheck({
  name: 'temp_files_heavy',
  category: 'storage',
  title: 'Many temporary files',
  figureName: 'temp files within a day',
  meaning: 'Sorts and hashes that exceed work_mem spill to disk, which is slower and fills it.',
  advice: 'Find the statements. Give them an index or more work_mem.',
  caution:
    'Every sort and hash of every session may use that much. With many sessions, raise it only for the role or statement.',
  source: 'runtime-config-resource.html#GUC-WORK-MEM',
  proof: 'measured',
  reads: {
    pg_stat_database: ['datname', 'temp_bytes', 'temp_files', 'stats_reset'],
    pg_settings: SETTING_COLUMNS,
  },
  judge: (facts) => {
    const found: Problem[] = [];
    const unknown: Unknown[] = [];
    for (const item of facts.rows('pg_stat_database')) {
      const spill = spillOf(facts, item);
      const database_name = item.text('datname') ?? '';
      if (spill === null) unknown.push({ because: SINCE_UNKNOWN, mend: null, database_name });
      else if (spill.daily >= NOTABLE_BYTES) found.push(foundOf(facts, item, spill));
      else if (isCountedBriefly(spill.counted))
        unknown.push({ ...countedBriefly('Temporary files', spill.counted), database_name });
    }
    return { found, unknown };
  },
});
