// Servers whose sessions may take more memory than the machine has.
import { shownValue } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { inMegabytes, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { countOf } from './sessions.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

const MIB = 1024 ** 2;
/** Not all sessions sort at once: some more than there is does no harm. */
const TOO_MUCH = 1.5;
const SHARE = 0.75;
/** PostgreSQL's own work_mem: with less, fewer sessions are the better way. */
const LEAST_WORK_MEM = 4 * MIB;
const LEAST_CONNECTIONS = 20;

function needOf(facts: Facts) {
  const buffers = facts.settingBytes('shared_buffers');
  const work = facts.settingBytes('work_mem');
  const connections = facts.settingNumber('max_connections');
  if (buffers === undefined || work === undefined || connections === undefined) return undefined;
  const each = work * (facts.settingNumber('hash_mem_multiplier') ?? 1);
  return { buffers, work, connections, each, need: buffers + connections * each };
}

function remedyOf(facts: Facts, memory: number, now: NonNullable<ReturnType<typeof needOf>>): string {
  const room = SHARE * memory - now.buffers;
  const work = (room / now.connections) * (now.work / now.each);
  if (work >= LEAST_WORK_MEM) return settingRemedy(facts, { work_mem: inMegabytes(work) });
  const fewer = Math.max(LEAST_CONNECTIONS, Math.floor(room / now.each));
  return settingRemedy(facts, { max_connections: String(fewer) });
}

export const check = defineCheck({
  name: 'memory_overcommitted',
  category: 'settings',
  title: 'Memory overcommitment by work_mem',
  figureName: 'memory needed',
  meaning: 'When many sessions sort or hash at once, the host swaps or the OOM killer ends the server.',
  advice: 'Lower work_mem, or allow fewer sessions and use a connection pooler.',
  caution:
    'Statements that need more spill to temporary files. Raise work_mem for the roles that run them. Keep max_connections above the current session count.',
  source: 'runtime-config-resource.html#GUC-WORK-MEM',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS, pg_sys_memory_info: ['total_memory'] },
  uses: { pg_stat_activity: ['backend_type', 'stands_for'] },
  judge: (facts) => {
    const memory = facts.row('pg_sys_memory_info')?.number('total_memory') ?? null;
    const now = needOf(facts);
    if (memory === null || !now || now.need <= TOO_MUCH * memory) return NOTHING;
    const isClient = (row: Item) => row.text('backend_type') === 'client backend';
    const sessions = countOf(facts.rows('pg_stat_activity').filter(isClient));
    return foundOnServer({
      severity: now.buffers + sessions * now.each > memory ? 'warning' : 'info',
      message: `The server needs ${shownValue(now.need, 'bytes')} if each of ${now.connections} sessions uses ${shownValue(now.each, 'bytes')} for a sort or hash. The host has ${shownValue(memory, 'bytes')}.`,
      figure: { value: now.need, unit: 'bytes', promised: SHARE * memory },
      evidence: {
        total_memory: memory,
        shared_buffers: now.buffers,
        work_mem: now.work,
        max_connections: now.connections,
        sessions_now: sessions,
      },
      remedy: remedyOf(facts, memory, now),
    });
  },
  figureAfter: (facts) => needOf(facts)?.need ?? null,
});
