// Every probe of the server with when it ran, how long it took and what it found; what is well is folded away.
import { useState } from 'react';
import type { CoverageEntry } from '../../../api/types.ts';
import { countOf, formatCount, formatMilliseconds, formatShare } from '../../../lib/format.ts';
import { parseSort, sortText } from '../../../lib/sort.ts';
import { everyText } from '../../../lib/time.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { SearchIcon } from '../../../ui/icons.ts';
import { Panel } from '../../../ui/panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { type CoverageFilter, isNarrowed, isWanted } from './coverage-groups.ts';
import { Folded } from './coverage-matrix.tsx';
import { COVERAGE_STATES, isFine } from './coverage-words.ts';

const COLUMNS: readonly Column<CoverageEntry>[] = [
  {
    key: 'probe',
    title: 'Probe',
    value: (row) => row.probe,
    render: (row) => <code>{row.probe}</code>,
  },
  {
    key: 'state',
    title: 'State',
    value: (row) => COVERAGE_STATES[row.status].rank,
    render: (row) => (
      <Status mark={COVERAGE_STATES[row.status].mark} label={COVERAGE_STATES[row.status].label} />
    ),
  },
  {
    key: 'interval',
    title: 'Interval',
    value: (row) => row.effective_interval_seconds,
    needs: 'wide',
    render: (row) =>
      row.effective_interval_seconds === row.interval_seconds ? (
        everyText(row.interval_seconds)
      ) : (
        <span title={row.reason ?? undefined}>{everyText(row.effective_interval_seconds)}, slowed down</span>
      ),
  },
  {
    key: 'collected',
    title: 'Collected',
    value: (row) => (row.collected_at === null ? null : Date.parse(row.collected_at)),
    align: 'end',
    descendingFirst: true,
    needs: 'medium',
    render: (row) =>
      row.collected_at === null ? <Unknown because="Not yet" /> : <RelativeTime at={row.collected_at} />,
  },
  {
    key: 'took',
    title: 'Took',
    value: (row) => row.took_ms,
    align: 'end',
    descendingFirst: true,
    needs: 'medium',
    render: (row) => (row.took_ms === null ? <Unknown /> : formatMilliseconds(row.took_ms)),
  },
  {
    key: 'cost',
    title: 'Cost',
    value: (row) => row.cost_percent,
    align: 'end',
    descendingFirst: true,
    needs: 'wide',
    render: (row) =>
      row.cost_percent === null ? <Unknown because="Not measured yet" /> : formatShare(row.cost_percent),
  },
  {
    key: 'rows',
    title: 'Rows',
    value: (row) => row.row_count,
    align: 'end',
    descendingFirst: true,
    needs: 'wide',
    render: (row) => (row.row_count === null ? <Unknown /> : formatCount(row.row_count)),
  },
];
const SORT_KEYS = COLUMNS.map((column) => column.key);

interface ProbesTableProps {
  probes: readonly CoverageEntry[];
  wanted: CoverageFilter;
}

/** Those that are read once for the server. */
export function ProbesTable({ probes, wanted }: ProbesTableProps) {
  const [sort, setSort] = useUrlText('sort');
  const [isUnfolded, setUnfolded] = useState(false);
  const rows = probes.filter((entry) => entry.database_name === null && isWanted(entry, wanted));
  const isAll = isUnfolded || isNarrowed(wanted);
  const shown = isAll ? rows : rows.filter(({ status }) => !isFine(status));
  return (
    <Panel title="Probes of the server" note={countOf(rows.length, 'probe')} flush>
      {shown.length > 0 ? (
        <DataTable
          caption="Probes of the server"
          columns={COLUMNS}
          rows={shown}
          rowKey={(row) => row.probe}
          sort={parseSort(sort, SORT_KEYS, { key: 'probe', descending: false })}
          onSort={(next) => setSort(sortText(next) === 'probe' ? '' : sortText(next))}
          ties={[(row) => row.probe]}
        />
      ) : null}
      {rows.length === 0 ? (
        <EmptyState icon={<SearchIcon size={26} />} title="No reading of the server is like that" />
      ) : null}
      <Folded
        count={rows.length - shown.length}
        isUnfolded={isUnfolded && !isNarrowed(wanted)}
        onToggle={setUnfolded}
      />
    </Panel>
  );
}
