// What the probes are set to for one server: the values in force, from where they come, and the way to change them for
// the server alone or for whatever it belongs to.
import { useState } from 'react';
import { Link } from 'react-router';
import type { Coverage } from '../../../api/types.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { parseSort, sortText } from '../../../lib/sort.ts';
import { everyText } from '../../../lib/time.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EditIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { type Mark, Status } from '../../../ui/status.tsx';
import { COVERAGE_STATES, problemsOf } from '../../history/coverage/coverage-words.ts';
import { useUser } from '../../identity/auth/use-user.ts';
import { keptText, LEVELS, levelWords, mayManageProbes } from './level-words.ts';
import { OnOff, ProbeName } from './probe-cells.tsx';
import { type EditedProbe, ProbeEditor } from './probe-editor.tsx';
import type { Level, ProbeSetting, ProbeSettings, Values } from './probe-values.ts';
import classes from './probes.module.css';
import type { ProbeSettingAt } from './use-saving.ts';

/** They change when somebody changes them elsewhere; what is changed here is read again at once. */
const OTHERS_MS = 30_000;

type Scopes = ProbeSettings['scopes'];

/** The worst of what the coverage says of a probe, where it is not read although it is switched on. */
interface Trouble {
  label: string;
  mark: Mark;
  rank: number;
  reason: string | null;
}

function troublesIn(coverage: Coverage | undefined): ReadonlyMap<string, Trouble> {
  const worst = (coverage ? problemsOf(coverage) : []).toReversed();
  return new Map(worst.map(({ probe, status, reason }) => [probe, { ...COVERAGE_STATES[status], reason }]));
}

function State({ setting, trouble }: { setting: ProbeSetting; trouble: Trouble | undefined }) {
  if (!setting.is_enabled || !trouble) return <OnOff on={setting.is_enabled} />;
  const search = `?tab=coverage&find=${encodeURIComponent(setting.name)}`;
  return (
    <Link className={classes.state} to={{ search }} title="See the fix">
      <Status mark={trouble.mark} label={trouble.label} />
    </Link>
  );
}

function columnsOf(scopes: Scopes, troubles: ReadonlyMap<string, Trouble>): Column<ProbeSetting>[] {
  return [
    {
      key: 'probe',
      title: 'Probe',
      width: 'grow',
      value: (row) => row.name,
      render: (row) => (
        <ProbeName
          name={row.name}
          description={row.reason ?? troubles.get(row.name)?.reason ?? row.description}
          values={row}
        />
      ),
    },
    {
      key: 'state',
      title: 'State',
      needs: 'medium',
      value: (row) => (row.is_enabled ? (troubles.get(row.name)?.rank ?? 100) : 50),
      render: (row) => <State setting={row} trouble={troubles.get(row.name)} />,
    },
    {
      key: 'interval',
      title: 'Interval',
      needs: 'medium',
      value: (row) => row.collection_interval_seconds,
      render: (row) => everyText(row.collection_interval_seconds),
    },
    {
      key: 'kept',
      title: 'Retention',
      needs: 'medium',
      value: (row) => row.retention_days,
      render: (row) => keptText(row.retention_days),
    },
    {
      key: 'level',
      title: 'Set by',
      needs: 'medium',
      descendingFirst: true,
      value: (row) => LEVELS.indexOf(row.level),
      render: (row) => (
        <span className={row.level === 'built_in' ? layout.remark : classes.changed}>
          {levelWords(row.level, scopes)}
        </span>
      ),
    },
  ];
}

/** What holds at a level as long as nothing is set there: the most specific of what is set above. */
function inheritedAt(probe: ProbeSetting, level: Level): Values {
  const above = probe.levels.filter((one) => LEVELS.indexOf(one.level) < LEVELS.indexOf(level));
  return above.at(-1) ?? probe;
}

function editedOf(probe: ProbeSetting, scopes: Scopes): EditedProbe {
  const setAt = (level: Level) => probe.levels.find((one) => one.level === level);
  const global: ProbeSettingAt = {
    key: 'global',
    config_id: probe.config_id,
    title: levelWords('global', scopes),
    set: setAt('global'),
    inherited: inheritedAt(probe, 'global'),
  };
  const [first, ...above] = scopes.toReversed().map(({ scope, scope_id }): ProbeSettingAt => {
    const inherited = inheritedAt(probe, scope);
    return { key: scope, scope_id, title: levelWords(scope, scopes), set: setAt(scope), inherited };
  });
  return {
    name: probe.name,
    description: probe.description,
    built_in: setAt('built_in') ?? probe,
    scopes: first ? [first, ...above, global] : [global],
    chain: probe.levels.map((one) => ({ title: levelWords(one.level, scopes), values: one })),
  };
}

function SettingsTable({ settings, coverage }: { settings: ProbeSettings; coverage: Coverage | undefined }) {
  const [sort, setSort] = useUrlText('sort');
  const [edited, setEdited] = useState<string>();
  const mayManage = mayManageProbes(useUser().data);
  const { probes, scopes } = settings;
  const probe = probes.find(({ name }) => name === edited);
  const columns = columnsOf(scopes, troublesIn(coverage));
  const edit: Column<ProbeSetting> = {
    key: 'edit',
    title: 'Change',
    align: 'end',
    width: 'actions',
    render: (row) => (
      <RowButton verb="Change" of={row.name} icon={EditIcon} onClick={() => setEdited(row.name)} />
    ),
  };
  return (
    <>
      <DataTable
        caption="What the probes are set to for this server"
        columns={mayManage ? [...columns, edit] : columns}
        rows={probes}
        rowKey={(row) => row.name}
        sort={parseSort(
          sort,
          columns.map(({ key }) => key),
          { key: 'probe', descending: false },
        )}
        onSort={(next) => setSort(sortText(next) === 'probe' ? '' : sortText(next))}
        ties={[(row) => row.name]}
      />
      <ProbeEditor probe={probe && editedOf(probe, scopes)} onClose={() => setEdited(undefined)} />
    </>
  );
}

function noteOf({ probes }: ProbeSettings): string {
  const off = probes.filter(({ is_enabled }) => !is_enabled).length;
  return `${countOf(probes.length, 'probe')}${off > 0 ? `, ${off} switched off` : ''}`;
}

export interface ProbeSettingsViewProps {
  id: number;
  coverage: Coverage | undefined;
}

export function ProbeSettingsView({ id, coverage }: ProbeSettingsViewProps) {
  const settings = useOperation('getProbeSettings', { params: { id } }, { everyMs: OTHERS_MS });
  return (
    <Panel title="Probes" {...(settings.data ? { note: noteOf(settings.data), flush: true } : {})}>
      <Query query={settings} what="the probes" lines={8}>
        {(data) => <SettingsTable settings={data} coverage={coverage} />}
      </Query>
    </Panel>
  );
}
