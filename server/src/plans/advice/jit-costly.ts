// Compilation that took longer than it can have saved.
import { shownMs, shownShare } from '../shown-figures.ts';
import { defineAdvice } from './types.ts';

const WORTH_MS = 20;
const WORTH_SHARE = 0.25;

export const advice = defineAdvice({
  name: 'jit_costly',
  title: 'JIT cost more than it gave',
  meaning: 'Expressions were compiled for longer than their faster evaluation can save.',
  action: 'Turn JIT off for this statement, or raise jit_above_cost.',
  judge(node, { plan, total_ms }) {
    const ms = plan.jit?.total_ms ?? null;
    if (node !== plan.plan || ms === null || total_ms === null) return undefined;
    if (ms < WORTH_MS || ms < WORTH_SHARE * total_ms) return undefined;
    return {
      evidence: `JIT took ${shownMs(ms)} of ${shownMs(total_ms)} (${shownShare(ms, total_ms)}).`,
      remedy: 'set jit = off;',
      weight: Math.min(1, ms / total_ms),
    };
  },
});
