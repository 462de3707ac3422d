// Every probe of the estate: how often it runs, how long its samples are kept, what it costs the servers, and for how
// many of them something else is set.
import { useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatShare } from '../../../lib/format.ts';
import { everyText } from '../../../lib/time.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { EditIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { PageHeader } from '../../../ui/page-header.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { SearchedTable } from '../../../ui/searched-table.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { useUser } from '../../identity/auth/use-user.ts';
import { keptText, mayManageProbes } from './level-words.ts';
import { OnOff, ProbeName } from './probe-cells.tsx';
import { type EditedProbe, ProbeEditor } from './probe-editor.tsx';
import { type ProbeOverview, sameValues } from './probe-values.ts';
import classes from './probes.module.css';

const COST_MS = 30_000;

function Interval({ probe }: { probe: ProbeOverview }) {
  const { collection_interval_seconds: now, slowest_interval_seconds: slowest, built_in } = probe;
  const words = slowest === null || slowest <= now ? everyText(now) : `every ${now}–${slowest} s`;
  if (now === built_in.collection_interval_seconds) return words;
  return (
    <span className={classes.changed} title={`Default: ${everyText(built_in.collection_interval_seconds)}`}>
      {words}
    </span>
  );
}

function Servers({ probe }: { probe: ProbeOverview }) {
  const { overridden_connections: other, disabled_connections: off } = probe;
  if (other === 0 && off === 0) return <span className={layout.remark}>all alike</span>;
  const parts = [
    ...(other > 0 ? [other === 1 ? '1 server differs' : `${other} servers differ`] : []),
    ...(off > 0 ? [`${off} switched off`] : []),
  ];
  return parts.join(', ');
}

function Cost({ probe }: { probe: ProbeOverview }) {
  const { cost_percent_mean: mean, cost_percent_most: most, measured_connections } = probe;
  if (mean === null) return <Unknown because="Not measured yet" />;
  const title = `Of one core, on ${countOf(measured_connections, 'server')}; most ${formatShare(most ?? mean)}`;
  return <span title={title}>{formatShare(mean)}</span>;
}

const COLUMNS: readonly Column<ProbeOverview>[] = [
  {
    key: 'probe',
    title: 'Probe',
    width: 'grow',
    value: (row) => row.name,
    render: (row) => <ProbeName name={row.name} description={row.description} values={row} />,
  },
  {
    key: 'state',
    title: 'State',
    width: 'small',
    needs: 'medium',
    value: (row) => (row.is_enabled ? 1 : 0),
    render: (row) => <OnOff on={row.is_enabled} />,
  },
  {
    key: 'interval',
    title: 'Interval',
    needs: 'medium',
    value: (row) => row.collection_interval_seconds,
    render: (row) => <Interval probe={row} />,
  },
  {
    key: 'kept',
    title: 'Retention',
    needs: 'medium',
    value: (row) => row.retention_days,
    render: (row) => (
      <span className={row.retention_days === row.built_in.retention_days ? undefined : classes.changed}>
        {keptText(row.retention_days)}
      </span>
    ),
  },
  {
    key: 'cost',
    title: 'Cost',
    hint: 'Mean share of one core of a server',
    align: 'end',
    descendingFirst: true,
    needs: 'wide',
    value: (row) => row.cost_percent_mean,
    render: (row) => <Cost probe={row} />,
  },
  {
    key: 'servers',
    title: 'Servers',
    descendingFirst: true,
    needs: 'wide',
    value: (row) => row.overridden_connections + row.disabled_connections,
    render: (row) => <Servers probe={row} />,
  },
];

function editedOf(probe: ProbeOverview): EditedProbe {
  const { name, description, built_in, is_enabled, collection_interval_seconds, retention_days } = probe;
  const values = { is_enabled, collection_interval_seconds, retention_days };
  const title = 'Whole estate';
  const isSet = !sameValues(values, built_in);
  return {
    name,
    description,
    built_in,
    scopes: [
      { key: 'global', config_id: probe.id, title, set: isSet ? values : undefined, inherited: built_in },
    ],
    chain: [{ title: 'Default', values: built_in }, ...(isSet ? [{ title, values }] : [])],
  };
}

/** The last column, for those who may. */
function editColumn(onEdit: (probe: ProbeOverview) => void): Column<ProbeOverview> {
  return {
    key: 'edit',
    title: 'Change',
    align: 'end',
    width: 'actions',
    render: (row) => <RowButton verb="Change" of={row.name} icon={EditIcon} onClick={() => onEdit(row)} />,
  };
}

function summary(probes: readonly ProbeOverview[]): string {
  const off = probes.filter(({ is_enabled }) => !is_enabled).length;
  const apart = probes.filter(({ overridden_connections }) => overridden_connections > 0).length;
  return [
    countOf(probes.length, 'probe'),
    ...(off > 0 ? [`${off} switched off`] : []),
    ...(apart > 0 ? [`${apart} ${apart === 1 ? 'differs' : 'differ'} for some servers`] : []),
  ].join(' · ');
}

export function ProbesPage() {
  const probes = useOperation('listProbes', {}, { everyMs: COST_MS });
  const [edited, setEdited] = useState<ProbeOverview>();
  const mayManage = mayManageProbes(useUser().data);
  return (
    <>
      <PageHeader title="Probes" facts={probes.data ? summary(probes.data) : '\u00a0'} />
      <SearchedTable
        one="probe"
        many="probes"
        caption="Probes of the whole estate"
        query={probes}
        rows={probes.data}
        columns={mayManage ? [...COLUMNS, editColumn(setEdited)] : COLUMNS}
        rowKey={(row) => row.name}
        words={(row) => `${row.name} ${row.description}`}
        first="probe"
        tie={(row) => row.name}
        empty={null}
        searched="Name and description are searched."
      />
      <ProbeEditor probe={edited && editedOf(edited)} onClose={() => setEdited(undefined)} />
    </>
  );
}
