// Triggers of users that take a large share of a statement.
import { shownMs, shownNumber, shownShare } from '../shown-figures.ts';
import { costlyTriggers, isOfConstraint } from './triggers.ts';
import { defineAdvice } from './types.ts';

export const advice = defineAdvice({
  name: 'trigger_slow',
  title: 'Trigger that takes much of the time',
  meaning: 'The function of the trigger runs as a part of the statement, for each row or once.',
  action:
    'Look at the statements of its function, which auto_explain.log_nested_statements logs with their plans; make it a trigger for each statement with transition tables where it is one for each row.',
  judge(node, { plan, total_ms }) {
    if (node !== plan.plan || total_ms === null) return undefined;
    const [worst] = costlyTriggers(plan, total_ms).filter(({ name }) => !isOfConstraint(name));
    if (worst === undefined) return undefined;
    const { name, ms, calls } = worst;
    return {
      evidence: `The trigger ${name} took ${shownMs(ms)} of ${shownMs(total_ms)} (${shownShare(ms, total_ms)}) in ${shownNumber(calls)} ${calls === 1 ? 'call' : 'calls'}, ${shownMs(ms / calls)} each.`,
      remedy: null,
      weight: Math.min(1, ms / total_ms),
    };
  },
});
