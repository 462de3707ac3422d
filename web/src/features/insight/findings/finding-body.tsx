// All that is known of a finding, on its page and beside the list: what is wrong, what to do about it and what that brought come first,
// then what it rests on.

import layout from '../../../ui/layout.module.css';
import { FindingChanges } from './finding-changes.tsx';
import { FindingChart } from './finding-chart.tsx';
import { FindingEvidence } from './finding-evidence.tsx';
import { FindingEffect, FindingFacts, FindingRemedy, FindingSummary } from './finding-facts.tsx';
import { FindingStatement } from './finding-statement.tsx';
import type { FindingDetail } from './finding-words.ts';

export function FindingBody({ detail }: { detail: FindingDetail }) {
  return (
    <div className={layout.stack}>
      <FindingSummary detail={detail} />
      <FindingEffect detail={detail} />
      <FindingRemedy detail={detail} />
      <FindingStatement detail={detail} />
      <FindingFacts detail={detail} />
      <FindingEvidence detail={detail} />
      <FindingChart detail={detail} />
      <FindingChanges finding={detail.finding} />
    </div>
  );
}
