// A planner that believes less to be cached than the server itself caches.
import { shownValue } from '../../kernel/shown-value.ts';
import {
  aboutSetting,
  hiddenSettings,
  inMegabytes,
  ofServer,
  SETTING_COLUMNS,
  settingRemedy,
} from './server-setting.ts';
import { defineCheck } from './types.ts';

export const check = defineCheck({
  name: 'effective_cache_size_small',
  category: 'settings',
  title: 'effective_cache_size smaller than shared_buffers',
  figureName: 'below shared_buffers',
  meaning: 'The planner overestimates the cost of indexes and prefers sequential scans.',
  advice: 'Set it to the total cache of PostgreSQL and the operating system. It allocates no memory.',
  caution: 'Plans may change, because more of them use indexes.',
  source: 'runtime-config-query.html#GUC-EFFECTIVE-CACHE-SIZE',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  uses: { pg_sys_memory_info: ['total_memory'] },
  judge: (facts) => {
    const cache = facts.settingBytes('effective_cache_size');
    const buffers = facts.settingBytes('shared_buffers');
    const unknown = hiddenSettings(facts, ['effective_cache_size']);
    if (!ofServer(facts, 'effective_cache_size') || cache === undefined || buffers === undefined)
      return { found: [], unknown };
    if (cache >= buffers) return { found: [] };
    const memory = facts.row('pg_sys_memory_info')?.number('total_memory') ?? null;
    const better = Math.max(buffers, memory === null ? 3 * buffers : 0.75 * memory);
    return aboutSetting('effective_cache_size', {
      severity: 'warning',
      message: `effective_cache_size is ${shownValue(cache, 'bytes')}, while shared_buffers alone is ${shownValue(buffers, 'bytes')}.`,
      figure: { value: buffers - cache, unit: 'bytes' },
      evidence: { effective_cache_size: cache, shared_buffers: buffers, total_memory: memory },
      remedy: settingRemedy(facts, { effective_cache_size: inMegabytes(better) }),
    });
  },
  figureAfter: (facts) => {
    const cache = facts.settingBytes('effective_cache_size');
    const buffers = facts.settingBytes('shared_buffers');
    return cache === undefined || buffers === undefined ? null : Math.max(0, buffers - cache);
  },
});
