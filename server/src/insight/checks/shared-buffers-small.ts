// Servers with PostgreSQL's own small shared_buffers on a machine with much memory.
import { shownValue } from '../../kernel/shown-value.ts';
import { inMegabytes, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

const GIB = 1024 ** 3;
/** PostgreSQL's own value. */
const OWN_BYTES = GIB / 8;
const LEAST_MEMORY = 4 * GIB;
/** Below that the operating system's cache does as well. */
const LEAST_DATA = 2 * GIB;
const MUCH_DATA = 20 * GIB;

export const check = defineCheck({
  name: 'shared_buffers_small',
  category: 'settings',
  title: 'shared_buffers too small for the host',
  figureName: 'shared_buffers',
  meaning: 'Pages are evicted and read again although the host has memory for them.',
  advice: 'Set it to a quarter of the memory on a dedicated PostgreSQL host.',
  caution: 'It needs a restart. If other programs need the memory, set a lower value.',
  source: 'runtime-config-resource.html#GUC-SHARED-BUFFERS',
  proof: 'stated',
  reads: {
    pg_settings: SETTING_COLUMNS,
    pg_sys_memory_info: ['total_memory'],
    pg_database: ['datname', 'database_size_bytes'],
  },
  judge: (facts) => {
    const buffers = facts.settingBytes('shared_buffers');
    const memory = facts.row('pg_sys_memory_info')?.number('total_memory') ?? null;
    if (buffers === undefined || memory === null || buffers > OWN_BYTES || memory < LEAST_MEMORY)
      return NOTHING;
    const data = facts
      .rows('pg_database')
      .reduce((sum, row) => sum + (row.number('database_size_bytes') ?? 0), 0);
    if (data < LEAST_DATA) return NOTHING;
    return foundOnServer({
      object_name: 'shared_buffers',
      severity: data >= MUCH_DATA ? 'warning' : 'info',
      message: `shared_buffers is ${shownValue(buffers, 'bytes')} on a host with ${shownValue(memory, 'bytes')} of memory and ${shownValue(data, 'bytes')} of data.`,
      figure: { value: buffers, unit: 'bytes', promised: memory / 4 },
      evidence: { shared_buffers: buffers, total_memory: memory, database_size_bytes: data },
      remedy: settingRemedy(facts, { shared_buffers: inMegabytes(memory / 4) }),
    });
  },
  figureAfter: (facts) => facts.settingBytes('shared_buffers') ?? null,
});
