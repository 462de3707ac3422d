// Findings in one table, a row each, the gravest first; a row opens what is known of it beside the table. Hundreds scroll as ten do.
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { parseSort, type Sort, sortText } from '../../../lib/sort.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { type ColumnOptions, columnsOf } from './finding-columns.tsx';
import type { Finding } from './finding-words.ts';
import { useChecks } from './use-findings.ts';

const GRAVEST_FIRST: Sort = { key: 'finding', descending: false };

/** The address of this page with that finding open. */
function openPath({ id }: Finding, shown: URLSearchParams): string {
  const next = new URLSearchParams(shown);
  next.set('finding', String(id));
  return `?${next}`;
}

export interface FindingTableProps extends Pick<ColumnOptions, 'state' | 'ofServer'> {
  findings: readonly Finding[];
}

export function FindingTable({ findings, state, ofServer }: FindingTableProps) {
  const [search] = useSearchParams();
  const [sort, setSort] = useUrlText('sort');
  const checks = useChecks().data;
  const columns = useMemo(() => {
    const figureNames = checks && new Map(checks.map(({ check }) => [check.name, check.figure_name]));
    return columnsOf({ state, ofServer, figureNames, pathOf: (finding) => openPath(finding, search) });
  }, [state, ofServer, checks, search]);
  const keys = columns.flatMap(({ key, value }) => (value ? [key] : []));
  return (
    <DataTable
      caption="Findings, the worst first"
      columns={columns}
      rows={findings}
      rowKey={({ id }) => String(id)}
      rowPath={(finding) => openPath(finding, search)}
      sort={parseSort(sort, keys, GRAVEST_FIRST)}
      onSort={(next) => {
        const text = sortText(next);
        setSort(text === sortText(GRAVEST_FIRST) ? '' : text);
      }}
    />
  );
}
