// Every probe with when it ran, how long it took and what it found.
import type { Coverage, CoverageEntry } from '../../api/types.ts';
import { countOf, formatCount, formatMilliseconds, formatShare } from '../../lib/format.ts';
import { parseSort, sortText } from '../../lib/sort.ts';
import { everyText } from '../../lib/time.ts';
import { useUrlText } from '../../lib/url-state.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import { Unknown } from '../../ui/unknown.tsx';
import classes from './coverage-view.module.css';
import { COVERAGE_STATES } from './coverage-words.ts';

const COLUMNS: readonly Column<CoverageEntry>[] = [
  {
    key: 'probe',
    title: 'Probe',
    value: (row) => row.probe,
    render: (row) => (
      <>
        <code>{row.probe}</code>
        {row.database_name === null ? null : <div className={classes.narrow}>{row.database_name}</div>}
      </>
    ),
  },
  {
    key: 'database',
    title: 'Database',
    value: (row) => row.database_name,
    needs: 'medium',
    render: (row) => row.database_name ?? 'whole server',
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

function noteOf(count: number, { cost_percent, sessions }: Coverage['own_cost']): string {
  if (cost_percent === null) return countOf(count, 'probe');
  const held = sessions === null ? '' : `, over ${countOf(sessions, 'session')} at most`;
  return `${countOf(count, 'probe')}; collecting takes ${formatShare(cost_percent)} of one core of the server${held}`;
}

interface ProbesTableProps {
  probes: readonly CoverageEntry[];
  cost: Coverage['own_cost'];
}

export function ProbesTable({ probes, cost }: ProbesTableProps) {
  const [sort, setSort] = useUrlText('sort');
  return (
    <Panel title="Probes" note={noteOf(probes.length, cost)} flush>
      <DataTable
        caption="Probes of the server"
        columns={COLUMNS}
        rows={probes}
        rowKey={(row) => `${row.probe}\n${row.database_name ?? ''}`}
        sort={parseSort(sort, SORT_KEYS, { key: 'probe', descending: false })}
        onSort={(next) => setSort(sortText(next) === 'probe' ? '' : sortText(next))}
        ties={[(row) => row.probe, (row) => row.database_name]}
      />
    </Panel>
  );
}
