// Alert rules by category: what each means and needs, when it raises an alert, and where that is set. For the whole estate,
// or as they hold for a group, a cluster or a server.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { countOf } from '../../../lib/format.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EditIcon, SearchIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { ScopeField } from '../../estate/overrides/scope-field.tsx';
import { type Read, useTarget } from '../../estate/overrides/use-scopes.ts';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { IdleReason, type IdleRule, IdleRules, useIdleRules } from './idle-rules.tsx';
import { RuleEditor } from './rule-editor.tsx';
import { conditionWords, type RuleAt, SEVERITY_WORDS, valuesWords } from './rule-values.ts';
import classes from './rules.module.css';
import { useRules } from './use-rules.ts';

/** What it reads, and what has to be there for that. */
function needsWords({ rule }: RuleAt): string {
  const { metric_name, required_extension, lasts_seconds } = rule;
  const parts = [
    metric_name,
    ...(required_extension === null ? [] : [`needs the extension ${required_extension}`]),
    ...(lasts_seconds > 0 ? [`has to last ${formatValue(lasts_seconds, 'seconds')}`] : []),
  ];
  return parts.join(' · ');
}

function RuleCell({ at, idle }: { at: RuleAt; idle: IdleRule | undefined }) {
  const { rule, inForce } = at;
  return (
    <div className={classes.rule}>
      <div className={classes.title}>{rule.title}</div>
      <div className={classes.meaning}>{rule.description}</div>
      <div className={classes.needs}>
        <code>{rule.name}</code> · {needsWords(at)}
      </div>
      <IdleReason idle={idle} />
      <div className={classes.narrow}>
        {valuesWords(inForce.values, rule.metric_unit)} · {inForce.title}
      </div>
    </div>
  );
}

type Idle = ReadonlyMap<number, IdleRule> | undefined;

/** Whoever switched a rule off does not ask whether it could judge anything. */
function State({ isOn, isIdle }: { isOn: boolean; isIdle: boolean }) {
  if (!isOn) return <Status mark="paused" label="Switched off" />;
  return isIdle ? <Status mark="skipped" label="Idle" /> : <Status mark="ok" label="On" />;
}

const firstColumns = (idle: Idle): Column<RuleAt>[] => [
  {
    key: 'rule',
    title: 'Rule',
    width: 'grow',
    render: (at) => <RuleCell at={at} idle={idle?.get(at.rule.id)} />,
  },
  {
    key: 'state',
    title: 'State',
    needs: 'medium',
    render: ({ rule, inForce: { values } }) => (
      <State isOn={values.is_enabled} isIdle={idle?.get(rule.id)?.isPartial === false} />
    ),
  },
];

const COLUMNS: readonly Column<RuleAt>[] = [
  {
    key: 'condition',
    title: 'Alert when',
    needs: 'medium',
    render: ({ rule, inForce }) => conditionWords(inForce.values, rule.metric_unit),
  },
  {
    key: 'severity',
    title: 'Severity',
    needs: 'wide',
    render: ({ inForce }) => SEVERITY_WORDS[inForce.values.severity],
  },
  {
    key: 'level',
    title: 'Set by',
    needs: 'medium',
    render: ({ chain, inForce }) => (
      <span className={chain.length > 1 ? classes.changed : classes.found}>{inForce.title}</span>
    ),
  },
];

function editColumn(onEdit: (id: number) => void): Column<RuleAt> {
  return {
    key: 'edit',
    title: 'Change',
    align: 'end',
    width: 'actions',
    render: ({ rule }) => (
      <RowButton verb="Change" of={rule.name} icon={EditIcon} onClick={() => onEdit(rule.id)} />
    ),
  };
}

function categoriesOf(rules: readonly RuleAt[]): [string, RuleAt[]][] {
  const found = new Map<string, RuleAt[]>();
  for (const at of rules) found.set(at.rule.category, [...(found.get(at.rule.category) ?? []), at]);
  return [...found];
}

const titleOf = (category: string) =>
  category === 'wal' ? 'WAL' : `${category.slice(0, 1).toUpperCase()}${category.slice(1)}`;

function matches({ rule }: RuleAt, text: string): boolean {
  const { name, title, description, category, metric_name } = rule;
  const all = [name, title, description, category, metric_name].join('\n').toLowerCase();
  return all.includes(text.trim().toLowerCase());
}

interface CategoriesProps {
  rules: readonly RuleAt[];
  idle: Idle;
  search: string;
  onEdit: (id: number) => void;
}

function Categories({ rules, idle, search, onEdit }: CategoriesProps) {
  const mayManage = mayUse(useUser().data, 'manage_alert_rules');
  const found = rules.filter((at) => matches(at, search));
  const all = [...firstColumns(idle), ...COLUMNS];
  const columns = mayManage ? [...all, editColumn(onEdit)] : all;
  if (found.length === 0)
    return (
      <Panel title="Rules">
        <EmptyState icon={<SearchIcon size={26} />} title="No rule matches">
          Name, title, meaning, category and metric are searched.
        </EmptyState>
      </Panel>
    );
  return (
    <>
      {categoriesOf(found).map(([category, own]) => (
        <Panel key={category} title={titleOf(category)} note={countOf(own.length, 'rule')} flush>
          <DataTable
            caption={`Rules: ${titleOf(category)}`}
            columns={columns}
            rows={own}
            rowKey={({ rule }) => rule.name}
          />
        </Panel>
      ))}
    </>
  );
}

function factsOf({ data }: Read<RuleAt[]>, idle: Idle): string {
  if (!data) return '\u00a0';
  const off = data.filter(({ inForce }) => !inForce.values.is_enabled).length;
  const changed = data.filter(({ chain }) => chain.length > 1).length;
  const idleHere = [...(idle?.values() ?? [])].filter(({ isPartial }) => !isPartial).length;
  return [
    countOf(data.length, 'rule'),
    ...(off > 0 ? [`${off} switched off`] : []),
    ...(idleHere > 0 ? [`${idleHere} idle here`] : []),
    ...(changed > 0 ? [`${changed} not as by default`] : []),
  ].join(' · ');
}

export function RulesPage() {
  const [target, setTarget] = useTarget();
  const [search, setSearch] = useUrlText('q');
  // Kept here, since the list is gone while the rules of a place that was just chosen are read.
  const [edited, setEdited] = useState<number>();
  const rules = useRules(target);
  const idle = useIdleRules(target?.scope === 'server' ? target.id : undefined);
  return (
    <>
      <PageHeader
        title="Alert rules"
        facts={factsOf(rules, idle)}
        actions={
          <Button component={Link} to="/alerts" variant="default">
            Alerts
          </Button>
        }
      />
      <div className={layout.stack}>
        <div className={layout.tools}>
          <ScopeField target={target} onTarget={setTarget} />
          <SearchField label="Search rules" value={search} onChange={setSearch} />
        </div>
        <IdleRules idle={idle} />
        <Query query={rules} what="the rules" lines={8}>
          {(data) => (
            <>
              <Categories rules={data} idle={idle} search={search} onEdit={setEdited} />
              <RuleEditor
                at={data.find(({ rule }) => rule.id === edited)}
                onClose={() => setEdited(undefined)}
              />
            </>
          )}
        </Query>
      </div>
    </>
  );
}
