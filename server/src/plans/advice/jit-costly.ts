// Compilation that took longer than it can have saved.
import { greatest } from '../../kernel/lists.ts';
import { shownMs, shownShare } from '../shown-figures.ts';
import { defineAdvice } from './types.ts';

const WORTH_MS = 20;
const WORTH_SHARE = 0.25;

export const advice = defineAdvice({
  name: 'jit_costly',
  title: 'JIT cost more than it gave',
  meaning: 'Expressions were compiled for longer than their faster evaluation can save.',
  action: 'Turn JIT off for this statement, or raise jit_above_cost.',
  judge(node, { plan, nodes, total_ms }) {
    const ms = plan.jit?.total_ms ?? null;
    if (node !== plan.plan || ms === null || total_ms === null) return undefined;
    // Each process compiles for itself, and the plan has the sum.
    const processes =
      1 +
      greatest(
        nodes.map(({ workers_launched }) => workers_launched ?? 0),
        0,
      );
    const each = ms / processes;
    if (each < WORTH_MS || each < WORTH_SHARE * total_ms) return undefined;
    const among = processes === 1 ? '' : ` in each of ${processes} processes`;
    return {
      evidence: `JIT took ${shownMs(each)} of ${shownMs(total_ms)} (${shownShare(each, total_ms)})${among}.`,
      remedy: 'set jit = off;',
      weight: Math.min(1, each / total_ms),
    };
  },
});
