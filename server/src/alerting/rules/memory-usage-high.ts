// Memory of the host; what is available counts as free.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'memory_usage_high',
  category: 'performance',
  metric: 'pg_sys_memory_info.used_percent',
  operator: '>',
  threshold: 85,
  severity: 'warning',
  title: 'High memory usage',
  reading: 'Memory usage is {value}',
  meaning:
    'When memory runs out, the host swaps or the OOM killer ends processes. If it ends a server process, all sessions are disconnected.',
  remedy: 'Lower work_mem, shared_buffers or the number of sessions. Look for other programs on the host.',
  evidence: { shell: 'free -m' },
});
