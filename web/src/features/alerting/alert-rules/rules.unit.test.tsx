// Alert rules on the screen: what holds where and from where it comes, set for the place that was chosen, and set back; for
// those who may not, to read.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { ADMIN, show } from '../../../testing/show.tsx';
import { conditionWords, draftOf, type Override, type Rule, ruleAt, thresholdOf } from './rule-values.ts';
import { RulesPage } from './rules-page.tsx';

const BUILT_IN = { operator: '>' as const, threshold: 80, severity: 'warning' as const, is_enabled: true };
const RULE: Rule = {
  id: 7,
  name: 'connection_utilization',
  description: 'New clients are refused.',
  category: 'connections',
  metric_name: 'connection_utilization_percent',
  metric_unit: 'percent',
  default_operator: '>',
  default_threshold: 90,
  default_severity: 'warning',
  default_enabled: true,
  required_extension: null,
  is_built_in: true,
  created_at: '2026-11-20T10:00:00Z',
  title: 'Few connections are left',
  remedy: 'Use a connection pooler.',
  evidence: null,
  lasts_seconds: 0,
  built_in: BUILT_IN,
  is_specified: true,
};
const SLOW: Rule = {
  ...RULE,
  id: 8,
  name: 'slow_query_count',
  title: 'Statements are slow',
  category: 'queries',
  metric_name: 'pg_stat_statements.slow_query_count',
  metric_unit: null,
  required_extension: 'pg_stat_statements',
  lasts_seconds: 300,
  default_threshold: 80,
  default_enabled: false,
  built_in: { ...BUILT_IN, is_enabled: false },
};

const overrideOf = (rule: Rule, threshold?: number): Override => {
  const { id: rule_id, name, description, category, metric_name, metric_unit } = rule;
  const { default_operator, default_threshold, default_severity, default_enabled } = rule;
  const isSet = threshold !== undefined;
  return {
    ...{ rule_id, name, description, category, metric_name, metric_unit },
    ...{ default_operator, default_threshold, default_severity, default_enabled },
    has_override: isSet,
    override_operator: isSet ? '>' : null,
    override_threshold: threshold ?? null,
    override_severity: isSet ? 'critical' : null,
    override_enabled: isSet ? true : null,
  };
};

/** The cluster sets 60 for the first rule; nothing else is set. */
const listed = ({ path }: { path: string }) => [
  overrideOf(RULE, path.includes('/cluster/4') ? 60 : undefined),
  overrideOf(SLOW),
];

const ANSWERS: Answers = {
  ...EVERYWHERE,
  listAlertRules: [RULE, SLOW],
  listAlertOverrides: listed,
  getProbeSettings: {
    connection_id: 1,
    scopes: [
      { scope: 'group', scope_id: 1, name: 'Ungrouped' },
      { scope: 'cluster', scope_id: 4, name: 'orders' },
      { scope: 'server', scope_id: 1, name: 'orders-primary' },
    ],
    probes: [],
  },
  listIdleAlertRules: { connection_id: 1, rules: [], partly_blind: [] },
  updateAlertRule: RULE,
  setAlertOverride: { status: 'ok' },
  deleteAlertOverride: { status: 'ok' },
};

async function open(search = '', answers: Answers = {}) {
  const api = await startApi({ ...ANSWERS, ...answers });
  return { ...show(<RulesPage />, { at: `/alerts/rules${search}` }), api };
}

const rowOf = async (name: string) => within((await screen.findByText(name)).closest('tr') ?? document.body);

it('lists them by category with what they mean, need and are set to', async () => {
  await open();
  const connections = within(await screen.findByRole('region', { name: 'Connections' }));
  connections.getByText('more than 90 %');
  connections.getByText('Whole estate');
  const slow = await rowOf('Statements are slow');
  slow.getByText(/needs the extension pg_stat_statements · has to last 5 min/);
  slow.getByText('Switched off');
  slow.getByText('Default');
  screen.getByText('2 rules · 1 switched off · 1 not as by default');
});

it('shows what a server inherits, and sets it for that server alone', async () => {
  const { api, user } = await open('?scope=server&of=1&q=utilization');
  const row = await rowOf('Few connections are left');
  row.getByText('more than 60 %');
  row.getByText('Cluster orders');
  expect(screen.queryByText('Statements are slow')).toBeNull();
  await user.click(await row.findByRole('button', { name: 'Change connection_utilization' }));
  const dialog = within(await screen.findByRole('dialog'));
  const chain = dialog.getByRole('list', { name: 'Settings by level, the last one is in force' });
  expect(
    within(chain)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual([
    'Defaultmore than 80 %, warning',
    'Whole estatemore than 90 %, warning',
    'Cluster ordersmore than 60 %, criticalin force',
  ]);
  const threshold = dialog.getByLabelText<HTMLInputElement>('Threshold');
  expect(threshold.value).toBe('60');
  await user.clear(threshold);
  await user.type(threshold, '1e3');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  dialog.getByText('A number, such as 80 or 0.5.');
  await user.clear(threshold);
  await user.type(threshold, '0.5');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  const sent = api.sent.filter(({ operation }) => operation === 'setAlertOverride');
  expect(sent).toEqual([
    {
      operation: 'setAlertOverride',
      path: '/api/v1/alert-overrides/server/1/7',
      body: { operator: '>', threshold: 0.5, severity: 'critical', enabled: true },
    },
  ]);
});

it('keeps the rule that is changed open while the rules of another place are read', async () => {
  const { router, user } = await open();
  const row = await rowOf('Few connections are left');
  await user.click(await row.findByRole('button', { name: 'Change connection_utilization' }));
  await screen.findByRole('dialog');
  await router.navigate('?scope=server&of=1');
  await expect
    .poll(() => screen.queryByRole('dialog')?.textContent)
    .toContain('Cluster ordersmore than 60 %, criticalin force');
});

it('says of a server which rules are idle there, why, and what wakes them', async () => {
  const remedy = {
    statement: 'create extension pg_stat_statements;',
    database_name: 'orders',
    run_on: 'primary' as const,
    needs_restart: true,
  };
  const idle = { status: 'missing_extension' as const, probe: 'pg_stat_statements', remedies: [remedy] };
  const rules = [
    { ...idle, rule_id: 7, name: RULE.name, title: RULE.title, reason: 'Nobody counts the sessions.' },
    { ...idle, rule_id: 8, name: SLOW.name, title: SLOW.title, reason: 'The extension is not there.' },
  ];
  await open('?scope=server&of=1', { listIdleAlertRules: { connection_id: 1, rules, partly_blind: [] } });
  const panel = within(await screen.findByRole('region', { name: 'Idle rules' }));
  panel.getByText('Wakes 2 rules: Few connections are left, Statements are slow');
  expect(panel.getAllByText(remedy.statement)).toHaveLength(1);
  panel.getByText('What to do on the primary, in the database orders; the server has to be restarted');
  (await rowOf('Idle, because: Nobody counts the sessions.')).getByText('Idle');
  // What is switched off is that first.
  (await rowOf('Idle, because: The extension is not there.')).getByText('Switched off');
  screen.getByText('2 rules · 1 switched off · 2 idle here · 1 not as by default');
});

it('says of a server which rules see only a part, and what shows them the rest', async () => {
  const statement = 'grant select on all sequences in schema billing to watcher;';
  const remedies = [{ statement, database_name: 'orders', run_on: 'server' as const, needs_restart: false }];
  const blind = { status: 'masked' as const, probe: 'pg_sequence_usage', remedies, reason: 'Two of 14.' };
  const partly_blind = [{ ...blind, rule_id: 7, name: RULE.name, title: RULE.title }];
  await open('?scope=server&of=1', { listIdleAlertRules: { connection_id: 1, rules: [], partly_blind } });
  const panel = within(await screen.findByRole('region', { name: 'Idle rules' }));
  panel.getByText('Shows all to 1 rule: Few connections are left');
  panel.getByText(statement);
  const row = await rowOf('Judges only a part, because: Two of 14.');
  expect(row.queryByText('Idle')).toBeNull();
  screen.getByText('2 rules · 1 switched off · 1 not as by default');
});

it('removes what is set for a cluster, and resets the whole estate to the default', async () => {
  const { api, user } = await open('?scope=cluster&of=4');
  await user.click(await (await rowOf('Few connections are left')).findByRole('button'));
  await user.click(await screen.findByRole('button', { name: 'Remove this setting' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  await user.click(await (await rowOf('Few connections are left')).findByRole('button'));
  await user.selectOptions(await screen.findByLabelText('Change it for'), 'Whole estate');
  await user.click(screen.getByRole('button', { name: 'Reset to the default' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  const sent = api.sent.filter(({ operation }) => /^(delete|update)Alert/.test(operation));
  expect(sent.map(({ path, body }) => [path, body])).toEqual([
    ['/api/v1/alert-overrides/cluster/4/7', undefined],
    [
      '/api/v1/alert-rules/7',
      { default_operator: '>', default_threshold: 80, default_severity: 'warning', default_enabled: true },
    ],
  ]);
});

it('keeps what was typed when the server refuses', async () => {
  const { user } = await open('', { updateAlertRule: new Refusal(503, 'The datastore rests.') });
  await user.click(await (await rowOf('Few connections are left')).findByRole('button'));
  const threshold = await screen.findByLabelText<HTMLInputElement>('Threshold');
  await user.clear(threshold);
  await user.type(threshold, '95');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('The datastore rests.');
  expect(threshold.value).toBe('95');
});

it('chooses a server, whose rules stand in the address', async () => {
  const { user, router } = await open();
  await user.selectOptions(await screen.findByLabelText('For'), 'A server');
  await screen.findByRole('option', { name: 'orders-primary' });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Server' }), 'orders-primary');
  expect(router.state.location.search).toBe('?scope=server&of=1');
  await (await rowOf('Few connections are left')).findByText('Cluster orders');
});

it('offers nothing to those who may not change them, and says why a server cannot be looked at', async () => {
  const first = await open('', { getUserInfo: { ...ADMIN, is_superuser: false, admin_permissions: [] } });
  await rowOf('Few connections are left');
  expect(screen.queryByRole('button', { name: /^Change/ })).toBeNull();
  first.unmount();
  await open('?scope=server&of=9', { getProbeSettings: new Refusal(403, 'No.') });
  await screen.findByText('You may not see the rules');
});

it('the most specific place wins whole, and inheritance goes level by level', () => {
  const scopes = [
    { scope: { scope: 'group' as const, scope_id: 1, name: 'all' }, rows: [overrideOf(RULE, 70)] },
    { scope: { scope: 'server' as const, scope_id: 3, name: 'billing' }, rows: [overrideOf(RULE)] },
  ];
  const at = ruleAt(RULE, scopes);
  expect(at.inForce).toEqual({
    title: 'Group all',
    values: { operator: '>', threshold: 70, severity: 'critical', is_enabled: true },
  });
  expect(at.places.map(({ key, set, inherited }) => [key, set?.threshold, inherited.threshold])).toEqual([
    ['server', undefined, 70],
    ['group', 70, 90],
    ['global', 90, 80],
  ]);
  expect(ruleAt(SLOW, []).chain.map(({ title }) => title)).toEqual(['Default']);
});

it.each([
  ['80', 80],
  [' -0.25 ', -0.25],
  ['', undefined],
  ['1e3', undefined],
  ['NaN', undefined],
  ['80 %', undefined],
])('takes %j as a threshold of %s', (threshold, value) => {
  expect(thresholdOf({ ...draftOf(BUILT_IN), threshold })).toBe(value);
});

it('says a condition with its unit', () => {
  expect(conditionWords({ ...BUILT_IN, operator: '<=', threshold: 300 }, 'seconds')).toBe('at most 5 min');
  expect(conditionWords({ ...BUILT_IN, operator: '==', threshold: 1 }, null)).toBe('exactly 1');
});

it.each([
  [
    { state: 'learning', until: '2026-11-23T10:00:00.000Z' },
    /^Unusual values will raise .* is being learned until 2026-11-23 \d\d:\d\d\.$/,
  ],
  [{ state: 'learning', until: null }, /^Unusual values will raise .* once enough was read/],
  [{ state: 'known', until: null }, /^Values that are unusual at their hour of the week raise alerts/],
] as const)('says of a server what is learned of its usual values: %j', async (baseline, words) => {
  const context = {
    hierarchy: {
      connection_id: 1,
      cluster_id: null,
      group_id: null,
      server_name: 'a',
      cluster_name: null,
      group_name: null,
    },
    rule: RULE,
    overrides: { server: null, cluster: null, group: null },
    idle: null,
    partly_blind: null,
    baseline,
  };
  const { user } = await open('?scope=server&of=1&q=utilization', { getAlertOverrideContext: context });
  const row = await rowOf('Few connections are left');
  await user.click(await row.findByRole('button', { name: 'Change connection_utilization' }));
  const isSaid = (_text: string, element: Element | null) =>
    element?.tagName === 'P' && words.test(element.textContent);
  await screen.findByText(isSaid);
  await user.selectOptions(await screen.findByLabelText('Change it for'), 'Whole estate');
  expect(screen.queryByText(isSaid)).toBeNull();
});
