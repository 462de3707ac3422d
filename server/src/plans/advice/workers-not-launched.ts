// Parallel plans that had to do with fewer processes than they were planned for.
import { defineAdvice } from './types.ts';

export const advice = defineAdvice({
  name: 'workers_not_launched',
  title: 'Parallel workers planned and not launched',
  meaning: 'The plan was chosen for more processes than it got, and runs longer than was expected.',
  action: 'Raise max_parallel_workers (and max_worker_processes), or lower max_parallel_workers_per_gather.',
  judge(node, { total_ms }) {
    const { workers_planned: planned, workers_launched: launched } = node;
    if (planned === null || launched === null || launched >= planned || node.never_executed) return undefined;
    const share = total_ms === null ? 0.1 : Math.min(1, (node.inclusive_ms ?? 0) / total_ms);
    return {
      evidence: `${planned} workers were planned, ${launched} launched.`,
      remedy: null,
      weight: (share * (planned - launched)) / (planned + 1),
    };
  },
});
