// Foreign keys whose check reads the whole table that refers to the changed one.
import { shownMs, shownNumber, shownShare } from '../shown-figures.ts';
import { costlyTriggers, isOfConstraint } from './triggers.ts';
import { defineAdvice } from './types.ts';

/** With an index a check takes some hundredths of a millisecond. */
const SLOW_MS = 0.3;

export const advice = defineAdvice({
  name: 'foreign_key_unindexed',
  title: 'Foreign key without an index',
  meaning: 'For each deleted or updated row the rows that refer to it are looked for without an index.',
  action:
    'Create an index on the columns of the foreign key, in the table that refers to this one; the constraint names both.',
  judge(node, { plan, total_ms }) {
    // An inserted row is looked for by the primary key, which has an index.
    if (node !== plan.plan || !/^(?:Delete|Update|Merge)$/.test(node.operation ?? '')) return undefined;
    // An updated row is looked for by it as well, where the constraint is of this table, as its usual name says.
    const own = node.operation === 'Delete' ? undefined : `constraint ${node.relation}_`;
    const slow = costlyTriggers(plan, total_ms).filter(
      ({ name, ms, calls }) =>
        isOfConstraint(name) && ms / calls >= SLOW_MS && (own === undefined || !name.startsWith(own)),
    );
    const [worst] = slow;
    if (worst === undefined || total_ms === null) return undefined;
    const { name, ms, calls } = worst;
    const more = slow.length === 1 ? '' : ` So did ${shownNumber(slow.length - 1)} more.`;
    return {
      evidence: `The check of ${name} took ${shownMs(ms)} of ${shownMs(total_ms)} (${shownShare(ms, total_ms)}): ${shownMs(ms / calls)} for each of ${shownNumber(calls)} ${calls === 1 ? 'row' : 'rows'}.${more}`,
      remedy: null,
      weight: slow.reduce((sum, one) => sum + one.ms / total_ms, 0),
    };
  },
});
