// Memory of the host; what is available counts as free.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'memory_usage_high',
  category: 'performance',
  metric: 'pg_sys_memory_info.used_percent',
  operator: '>',
  threshold: 85,
  severity: 'warning',
  title: 'Memory is nearly used up',
  meaning:
    'When memory runs out, the host swaps or the kernel ends processes; if it ends a server process, all sessions are cut off.',
  remedy:
    'Lower work_mem times the number of sessions, or shared_buffers; look for other programs on the host.',
  evidence: { shell: 'free -m' },
});
