// The open findings of a cluster's servers, as a part of its page.

import layout from '../../../ui/layout.module.css';
import { ManyFindings } from './many-findings.tsx';
import { useFindingFilters } from './use-findings.ts';

export function ClusterFindings({ ids }: { ids: readonly number[] }) {
  const [filters] = useFindingFilters();
  return (
    <div className={layout.stack}>
      <ManyFindings filters={{ ...filters, server: undefined }} ids={ids} title="Findings" />
    </div>
  );
}
