// CTEs that are computed whole although one part of the statement reads them, and filters them.

import { shownNumber } from '../shown-figures.ts';
import { conditionOf, nodesOf } from '../walk.ts';
import { defineAdvice } from './types.ts';

export const advice = defineAdvice({
  name: 'cte_materialized',
  title: 'CTE materialized in vain',
  meaning: 'The CTE is computed and stored whole; conditions outside of it cannot use indexes inside.',
  action:
    'Remove MATERIALIZED, or write "as not materialized", so that the condition is applied inside; before PostgreSQL 12, make the CTE a subquery.',
  judge(node, { nodes, total_ms }) {
    const name = node.subplan?.startsWith('CTE ') ? node.subplan.slice('CTE '.length) : undefined;
    if (
      name === undefined ||
      node.node === 'Recursive Union' ||
      nodesOf(node).some((one) => one.node === 'ModifyTable')
    )
      return undefined;
    const readers = nodes.filter((one) => one.node === 'CTE Scan' && one.cte === name);
    const [reader] = readers;
    if (reader === undefined || readers.length > 1 || conditionOf(reader, 'Filter') === null)
      return undefined;
    const [made, kept] = [node.total_rows, reader.total_rows];
    if (made !== null && kept !== null && kept > made / 2) return undefined;
    const rows =
      made === null || kept === null
        ? ''
        : ` ${shownNumber(made)} rows were made, ${shownNumber(kept)} kept.`;
    return {
      evidence: `"${name}" is read once, with the filter ${conditionOf(reader, 'Filter')}.${rows}`,
      remedy: null,
      weight: total_ms === null ? 0.1 : Math.min(1, (reader.inclusive_ms ?? 0) / total_ms),
    };
  },
});
