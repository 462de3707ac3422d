// Alerts on the screen: the worst first, in groups and narrowed by what the address says; taken on with a word, and given
// back; one alert with its threshold, what to do and all that happened to it.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ago, alert } from '../../../testing/alert.ts';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { ExplainCalls } from '../../../testing/explain.tsx';
import { ADMIN, show } from '../../../testing/show.tsx';
import { AlertPage } from './alert-page.tsx';
import type { Alert } from './alert-words.ts';
import { AlertsPage } from './alerts-page.tsx';
import { ServerAlerts } from './server-alerts.tsx';

const ACKED = alert(2, {
  severity: 'critical',
  title: 'A disk is full: /data',
  object_name: '/data',
  rule_id: 8,
  status: 'acknowledged',
  acknowledged_at: ago(5),
  acknowledged_by: 'anna',
  ack_message: 'Ordered a larger one.',
});
const FOLLOWS = alert(3, {
  cause_id: 2,
  rule_id: 9,
  title: 'A disk fills up: /data',
  connection_id: 3,
  server_name: 'billing',
});

const rule = {
  id: 7,
  name: 'connection_utilization',
  description: 'New clients are refused.',
  category: 'connections',
  metric_name: 'connection_utilization_percent',
  metric_unit: 'percent',
  default_operator: '>' as const,
  default_threshold: 80,
  default_severity: 'warning' as const,
  default_enabled: true,
  required_extension: null,
  is_built_in: true,
  created_at: ago(9000),
  title: 'Few connections are left',
  remedy: 'Use a connection pooler.',
  evidence: { kind: 'sql' as const, text: 'select state from pg_stat_activity' },
  lasts_seconds: 0,
  built_in: { operator: '>' as const, threshold: 80, severity: 'warning' as const, is_enabled: true },
  is_specified: true,
};

async function open(
  alerts: readonly Alert[],
  { search = '?group=severity', answers = {} }: { search?: string; answers?: Answers } = {},
) {
  const api = await startApi({
    ...EVERYWHERE,
    listAlerts: { alerts: [...alerts], total: alerts.length },
    listAlertRules: [rule, { ...rule, id: 8, name: 'off', default_enabled: false }],
    acknowledgeAlert: { status: 'acknowledged' },
    unacknowledgeAlert: { status: 'active' },
    ...answers,
  });
  return { ...show(<AlertsPage />, { at: `/alerts${search}` }), api };
}

const EVIDENCE = {
  alert_id: 1,
  at: ago(30),
  threshold: { operator: '>' as const, value: 80, source: 'cluster' as const },
  values: {
    metric_name: 'connection_utilization_percent',
    metric_unit: 'percent',
    reason: null,
    start_time: ago(60),
    step_seconds: 60,
    values: [71, null, 92],
  },
  sessions: {
    as_of: ago(30),
    reason: null,
    total_count: 30,
    rows: [
      {
        pid: 7,
        leader_pid: null,
        database: 'shop',
        user_name: 'app',
        application_name: null,
        client_address: null,
        backend_type: 'client backend',
        state: 'active',
        wait_event_type: 'Lock',
        wait_event: 'transactionid',
        queryid: null,
        query: 'update stock set n = 1',
        connected_at: null,
        transaction_seconds: 43,
        query_seconds: 42,
        state_seconds: 42,
      },
    ],
  },
  locks: {
    as_of: null,
    reason: 'Locks were not read at that time.',
    waiting_count: null,
    root_count: null,
    nodes: null,
  },
  waits: {
    as_of: null,
    reason: 'Not sampled.',
    active_count: null,
    idle_in_transaction_count: null,
    classes: null,
    combinations: null,
  },
  changes: {
    start_time: ago(90),
    end_time: ago(30),
    server_count: 1,
    kinds: [
      {
        event_type: 'config_change' as const,
        total_count: 1,
        events: [
          {
            id: 'config-1',
            event_type: 'config_change' as const,
            connection_id: 1,
            server_name: 'billing',
            occurred_at: ago(40),
            severity: 'info' as const,
            title: '1 setting changed',
            summary: 'work_mem changed.',
            details: {},
          },
        ],
      },
    ],
    slower_statements: { total_count: 0, previous_start_time: ago(150), statements: [] },
  },
};

const DELIVERIES = {
  deliveries: [
    {
      id: 1,
      alert_id: 1,
      connection_id: 1,
      report_schedule_id: null,
      channel_id: 1,
      channel_name: 'On call',
      channel_type: 'slack' as const,
      kind: 'fire' as const,
      sequence: 1,
      state: 'dead' as const,
      title: 'Few connections are left',
      server_name: 'orders-primary',
      message_id: null,
      queued_at: ago(29),
      next_attempt_at: null,
      ended_at: ago(2),
      attempts: [],
      reply: 'The other side refused it. (HTTP 403)',
    },
  ],
  total_count: 1,
};

const rowsOf = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('link')[0]?.textContent);

it('lists the worst first in groups, with what each follows from and who has taken it on', async () => {
  await open([alert(1), ACKED, FOLLOWS]);
  await screen.findByText('2 active, 1 acknowledged');
  expect(rowsOf()).toEqual([
    'Critical 1 alert',
    'A disk is full: /data',
    'Warning 2 alerts',
    'Few connections are left',
    'A disk fills up: /data',
  ]);
  screen.getByText(/^Acknowledged by/);
  screen.getByText('Ordered a larger one.');
  const cause = screen.getByText(/^Follows from/);
  expect(within(cause).getByRole('link', { name: 'A disk is full: /data' }).getAttribute('href')).toBe(
    '/alerts/2',
  );
});

it('asks for what the address says, and narrows to a group', async () => {
  const { api, user, router } = await open([alert(1), FOLLOWS], { search: '?group=server&type=threshold' });
  await user.click(await screen.findByRole('link', { name: /^billing\s+1\s+alert/ }));
  expect(router.state.location.search).toBe('?group=server&type=threshold&server=3');
  await expect.poll(() => api.sent.at(-1)?.path).toContain('connection_id=3');
  const asked = new URLSearchParams(
    api.sent.findLast(({ operation }) => operation === 'listAlerts')?.path.split('?')[1],
  );
  expect(Object.fromEntries(asked)).toEqual({
    exclude_cleared: 'true',
    alert_type: 'threshold',
    connection_id: '3',
    limit: '1000',
  });
});

it('asks for what has cleared only of a window, and what is open of any time', async () => {
  const { api, user } = await open([]);
  await user.selectOptions(await screen.findByLabelText('Status'), 'Cleared');
  await expect.poll(() => api.sent.at(-1)?.path).toMatch(/status=cleared.*start_time=.*end_time=/);
  const lists = api.sent.filter(({ operation }) => operation === 'listAlerts');
  expect(lists[0]?.path).not.toContain('start_time');
  await screen.findByText('No such alert has cleared');
  api.answer({ listAlerts: { alerts: [alert(1, { status: 'cleared', cleared_at: ago(4) })], total: 1 } });
  await user.selectOptions(screen.getByLabelText('Severity'), 'Warning');
  await screen.findByText('4 min ago');
  expect(screen.queryByRole('columnheader', { name: 'Acknowledge' })).toBeNull();
});

it('says what is watched where no alert is open, and no more than is known', async () => {
  await open([]);
  await screen.findByText('3 servers are monitored, and 1 rule is switched on for the whole estate.');
});

it('acknowledges by keyboard with a message, and keeps it when the server refuses', async () => {
  const { api, user } = await open([alert(1)], {
    answers: { acknowledgeAlert: new Refusal(409, 'This alert has cleared.') },
  });
  const button = await screen.findByRole('button', {
    name: 'Acknowledge: Few connections are left on orders-primary',
  });
  button.focus();
  await user.keyboard('{Enter}');
  const dialog = within(await screen.findByRole('dialog', { name: 'Acknowledge the alert' }));
  await user.type(dialog.getByLabelText('Message'), 'On it.');
  await user.click(dialog.getByLabelText('It is a false positive'));
  await user.click(dialog.getByRole('button', { name: 'Acknowledge' }));
  await dialog.findByText('This alert has cleared.');
  expect(dialog.getByLabelText<HTMLTextAreaElement>('Message').value).toBe('On it.');
  expect(api.sent.findLast(({ operation }) => operation === 'acknowledgeAlert')?.body).toEqual({
    alert_id: 1,
    message: 'On it.',
    false_positive: true,
  });
});

it('does by letters what its buttons do, on the alert whose link has the focus, and explains it', async () => {
  const { user, router } = await open([alert(1), ACKED]);
  const link = await screen.findByRole('link', { name: 'Few connections are left' });
  await user.keyboard('a');
  expect(screen.queryByRole('dialog')).toBeNull();
  link.focus();
  await user.keyboard('f');
  const dialog = within(await screen.findByRole('dialog', { name: 'Acknowledge the alert' }));
  expect(dialog.getByLabelText<HTMLInputElement>('It is a false positive').checked).toBe(true);
  await user.type(dialog.getByLabelText('Message'), 'a fear');
  expect(dialog.getByLabelText<HTMLTextAreaElement>('Message').value).toBe('a fear');
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await user.click(await dialog.findByRole('button', { name: 'Discard' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  await expect.poll(() => document.activeElement === link).toBe(true);
  screen.getByRole('link', { name: ACKED.title }).focus();
  await user.keyboard('f');
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.keyboard('a');
  await screen.findByRole('dialog', { name: 'Take back the acknowledgement' });
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  link.focus();
  await user.keyboard('e');
  expect(router.state.location.pathname).toBe('/alerts/1');
});

it('offers no acknowledging to those who may only read, and says why', async () => {
  const { user } = await open([alert(1, { may_acknowledge: false })]);
  const link = await screen.findByRole('link', { name: 'Few connections are left' });
  expect(screen.queryByRole('button', { name: /^Acknowledge/ })).toBeNull();
  screen.getByText('Acknowledging needs read and write access to this server.');
  link.focus();
  await user.keyboard('a');
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('takes an acknowledgement back after a question', async () => {
  const { api, user } = await open([ACKED]);
  await user.click(await screen.findByRole('button', { name: /^Take back:/ }));
  await user.click(await screen.findByRole('button', { name: 'Take it back' }));
  await expect
    .poll(() => api.sent.find(({ operation }) => operation === 'unacknowledgeAlert')?.path)
    .toBe('/api/v1/alerts/acknowledge?alert_id=2');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

it('shows one alert: the threshold with where it is set, what to do, and all that happened', async () => {
  const events = [
    {
      event_type: 'fired' as const,
      occurred_at: ago(30),
      severity: 'warning' as const,
      actor: null,
      message: null,
      metric_value: 85,
    },
    {
      event_type: 'acknowledged' as const,
      occurred_at: ago(5),
      severity: 'warning' as const,
      actor: 'anna',
      message: 'On it.',
      metric_value: 92,
    },
  ];
  await startApi({
    ...EVERYWHERE,
    getUserInfo: { ...ADMIN, is_superuser: false, admin_permissions: [] },
    getAlert: { alert: alert(1), events },
    getAlertRule: rule,
    queryMetrics: [],
    listAlertDeliveries: DELIVERIES,
    getAlertEvidence: EVIDENCE,
  });
  show(<AlertPage />, { at: '/alerts/1', path: '/alerts/:id' });
  await screen.findByRole('heading', { name: 'Few connections are left', level: 1 });
  const set = await screen.findByRole('link', { name: 'set for its cluster' });
  expect(set.getAttribute('href')).toBe('/alerts/rules?scope=server&of=1&q=connection_utilization');
  screen.getByText('> 80 %');
  await screen.findByText('Use a connection pooler.');
  screen.getByText('select state from pg_stat_activity');
  const history = within(screen.getByRole('table', { name: 'What happened to the alert' }));
  expect(history.getAllByRole('row')).toHaveLength(3);
  history.getByText('Matriarch');
  history.getByText('85 %');
  const sent = within(await screen.findByRole('table', { name: 'Notifications of the alert' }));
  sent.getByText(/^That it fired, by/);
  sent.getByText('Given up');
  sent.getByText('The other side refused it. (HTTP 403)');
  screen.getByText(/^Sending again needs the permission/);
  expect(sent.queryByRole('button')).toBeNull();
  await screen.findByRole('img', { name: 'Active for 25 min, acknowledged for 5 min' });
  const evidence = within(await screen.findByRole('region', { name: 'Evidence' }));
  await evidence.findByText('From 71 % to 92 % in the half hours before and after, by 2 values.');
  evidence.getByText('The first 1 of 30 sessions', { exact: false });
  evidence.getByText('active · Lock: transactionid · for 42 s');
  evidence.getByText('update stock set n = 1', { selector: 'summary code' });
  evidence.getByText('Locks were not read at that time.');
  evidence.getByText('1 setting changed');
});

it('says of evidence that is not there why', async () => {
  const reason = 'Nothing is kept of that time.';
  await startApi({
    ...EVERYWHERE,
    getAlert: { alert: alert(1), events: [] },
    getAlertRule: rule,
    queryMetrics: [],
    listAlertDeliveries: DELIVERIES,
    getAlertEvidence: {
      ...EVIDENCE,
      values: { ...EVIDENCE.values, values: null, reason },
      sessions: { as_of: null, reason: 'No sessions are kept.', total_count: null, rows: null },
      changes: { ...EVIDENCE.changes, kinds: [] },
    },
  });
  show(<AlertPage />, { at: '/alerts/1', path: '/alerts/:id' });
  await screen.findByText(reason);
  screen.getByText('No sessions are kept.');
  screen.getByText('Nothing that is known of.');
});

it('the page of a server shows the worst of its open alerts, and the way to all', async () => {
  const many = [4, 5, 6].map((id) => alert(id, { title: `Minor ${id}`, severity: 'info' }));
  const api = await startApi({
    listAlerts: { alerts: [...many, ACKED, alert(1)], total: 5 },
    countAlerts: { total: 4, by_server: { 1: 4 }, by_cluster: {} },
  });
  const { client, user } = show(<ServerAlerts connectionId={1} />);
  const notice = within(await screen.findByRole('region', { name: 'Alerts of the server' }));
  await user.click(notice.getByText('5 alerts'));
  const items = notice.getAllByRole('listitem');
  expect(items.map((item) => within(item).getByRole('link').textContent)).toEqual([
    'Few connections are left',
    'Minor 6',
    'Minor 5',
  ]);
  expect(notice.getByRole('link', { name: 'All 5 open alerts' }).getAttribute('href')).toBe(
    '/alerts?server=1',
  );
  await expect.poll(() => client.getQueryData(['countAlerts', {}])).toBeDefined();
  // One more: seen with its count, long before the list would be read again by itself.
  api.answer({
    listAlerts: { alerts: [alert(7, { title: 'New', severity: 'critical' })], total: 1 },
    countAlerts: { total: 1, by_server: { 1: 1 }, by_cluster: {} },
  });
  await client.refetchQueries({ queryKey: ['countAlerts'] });
  await notice.findByRole('link', { name: 'New' });
});

it('asks the chat about the alert of its page, with its value, threshold and times', async () => {
  await startApi({
    ...EVERYWHERE,
    getAlert: { alert: alert(1, { object_name: '/data' }), events: [] },
    getAlertRule: rule,
    queryMetrics: [],
    listAlertDeliveries: DELIVERIES,
    getAlertEvidence: EVIDENCE,
  });
  const asked = new ExplainCalls();
  const { user } = show(asked.around(<AlertPage />), { at: '/alerts/1', path: '/alerts/:id' });
  await user.click(await screen.findByRole('button', { name: 'Explain: Few connections are left' }));
  expect(asked.questions).toMatchObject([
    {
      message: expect.stringMatching(/^Why did the alert “Few connections are left” fire/),
      scope: { kind: 'server', id: 1 },
      about: {
        ...{ kind: 'alert', alert_id: 1, value: 92, threshold: 80, alert_when: '>', unit: 'percent' },
        ...{ object: '/data', server: 'orders-primary', fired_at: expect.stringMatching(/^\d{4}-/) },
      },
    },
  ]);
});
