// Incidents on the screen: one row for what belongs together, which unfolds to its alerts, with the value against its threshold and
// who has it; moved through, acknowledged, silenced and explained by letters.
import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ago, alert } from '../../../testing/alert.ts';
import { type Answers, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { ExplainCalls } from '../../../testing/explain.tsx';
import { ADMIN, show } from '../../../testing/show.tsx';
import type { Alert, Incident } from './alert-words.ts';
import { AlertsPage } from './alerts-page.tsx';

const IDLE = alert(1, { title: 'Session idle in transaction' });
const DEAD = [2, 3].map((id) => alert(id, { title: `High share of dead tuples in "t${id}"`, cause_id: 1 }));
const incident = (key: string, alerts: readonly Alert[], more: Partial<Incident> = {}): Incident => {
  const what = more.what ?? alerts[0]?.title ?? '';
  return {
    ...{ incident_key: key, title: `orders-primary: ${what}`, place: 'orders-primary', what },
    detail: null,
    ...{ severity: 'warning', status: 'active', triggered_at: ago(30), cluster_id: null, server_count: 1 },
    ...{ alert_count: alerts.length, active_count: alerts.length, acknowledged_by: [] },
    ...{ may_acknowledge: true, alerts: [...alerts] },
    ...more,
  };
};
const LOCKED = incident('a', [IDLE, ...DEAD], {
  what: 'Session idle in transaction → High share of dead tuples (2 tables)',
  detail: 'PID 30444 of "payroll", idle in transaction, blocks 3 sessions',
});
const LONE = incident('b', [alert(9, { title: 'Deadlocks', connection_id: 3, server_name: 'billing' })], {
  ...{ place: 'billing', title: 'billing: Deadlocks' },
});

const answered = (incidents: readonly Incident[], total = incidents.length): Answers => ({
  ...EVERYWHERE,
  listAlertIncidents: { incidents: [...incidents], total, alert_count: 4, active_count: 3 },
  acknowledgeAlert: { status: 'acknowledged' },
  unacknowledgeAlert: { status: 'active' },
});

async function open(incidents: readonly Incident[], answers: Answers = {}, search = '') {
  const api = await startApi({ ...answered(incidents), ...answers });
  const asked = new ExplainCalls();
  return { ...show(asked.around(<AlertsPage />), { at: `/alerts${search}` }), api, asked };
}

const link = (name: string) => screen.findByRole('link', { name });
const sent = (api: Awaited<ReturnType<typeof open>>['api'], operation: string) =>
  api.sent.filter((one) => one.operation === operation).map(({ body }) => body);

it('is one row for what belongs together, which unfolds to its alerts', async () => {
  const { user, api } = await open([LOCKED, LONE], {}, '?server=1&severity=warning');
  await screen.findByText('2 incidents, 4 alerts (1 acknowledged)');
  const row = (await link(LOCKED.what)).closest('tr') ?? document.body;
  within(row).getByText('3 alerts');
  within(row).getByText('PID 30444 of "payroll", idle in transaction, blocks 3 sessions');
  within(row).getByText('92 %');
  within(row).getByText('alert > 80 %');
  expect(row.querySelector('svg[data-tone="warning"]')).not.toBeNull();
  expect(screen.queryByRole('link', { name: /dead tuples in "t2"/ })).toBeNull();
  const fold = within(row).getByRole('button', { name: `Alerts of ${LOCKED.title}` });
  expect(fold.getAttribute('aria-expanded')).toBe('false');
  await user.click(fold);
  for (const { title } of [IDLE, ...DEAD]) screen.getByRole('link', { name: title });
  expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(1 + 2 + 3);
  await user.click(fold);
  expect(screen.queryByRole('link', { name: /dead tuples in "t2"/ })).toBeNull();
  expect(screen.queryByRole('button', { name: `Alerts of ${LONE.title}` })).toBeNull();
  const path = api.sent.find(({ operation }) => operation === 'listAlertIncidents')?.path ?? '';
  expect(Object.fromEntries(new URLSearchParams(path.split('?')[1]))).toEqual({
    ...{ severity: 'warning', connection_id: '1', limit: '200' },
  });
  expect(api.sent.some(({ operation }) => operation === 'listAlerts')).toBe(false);
});

it('says where a list is cut, of incidents and of the alerts of one', async () => {
  const cut = { ...LOCKED, alert_count: 60 };
  await open([cut], {
    listAlertIncidents: { incidents: [cut], total: 7, alert_count: 90, active_count: 90 },
  });
  await screen.findByText('60 alerts, of which 3 are listed');
  screen.getByText('The worst 1 of 7 incidents. Choose filters to see the others.');
});

it('is walked through by J and K, and unfolded by the arrows', async () => {
  const { user, router } = await open([LOCKED, LONE]);
  const [first, last] = [await link(LOCKED.what), await link('Deadlocks')];
  await user.keyboard('j');
  expect(document.activeElement).toBe(first);
  await user.keyboard('j');
  expect(document.activeElement).toBe(last);
  await user.keyboard('jk{ArrowRight}');
  expect(document.activeElement).toBe(first);
  await user.keyboard('j');
  expect(document.activeElement).toBe(screen.getByRole('link', { name: IDLE.title }));
  await user.keyboard('k{ArrowLeft}');
  expect(screen.queryByRole('link', { name: IDLE.title })).toBeNull();
  await user.keyboard('{Enter}');
  expect(router.state.location.pathname).toBe('/alerts/1');
});

it('acknowledges all active alerts of an incident with one message', async () => {
  const [one, two] = DEAD;
  const acked = { ...IDLE, status: 'acknowledged' as const, acknowledged_by: 'ben', acknowledged_at: ago(5) };
  const { user, api } = await open([
    incident('a', [acked, ...(one && two ? [one, { ...two, may_acknowledge: false }] : [])], {
      ...{ active_count: 2, acknowledged_by: ['ben'] },
    }),
  ]);
  (await link(IDLE.title)).focus();
  screen.getByText('1 of 3');
  await user.keyboard('a');
  const dialog = within(await screen.findByRole('dialog', { name: 'Acknowledge the alert' }));
  await user.type(dialog.getByLabelText('Message'), 'On it');
  await user.click(dialog.getByRole('button', { name: 'Acknowledge' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent(api, 'acknowledgeAlert')).toEqual([{ alert_id: 2, message: 'On it', false_positive: false }]);
});

it('marks an incident a false positive, and takes an acknowledgement of all of it back', async () => {
  const { user, api } = await open([LOCKED]);
  (await link(LOCKED.what)).focus();
  await user.keyboard('f');
  const dialog = within(await screen.findByRole('dialog', { name: 'Acknowledge the incident' }));
  dialog.getByText(/and 2 more alerts of the incident/);
  await user.click(dialog.getByRole('button', { name: 'Acknowledge' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent(api, 'acknowledgeAlert')).toEqual(
    [1, 2, 3].map((alert_id) => ({ alert_id, false_positive: true })),
  );
  const all = LOCKED.alerts.map((one) => ({
    ...one,
    status: 'acknowledged' as const,
    acknowledged_by: 'anna',
  }));
  api.answer(
    answered([
      { ...LOCKED, status: 'acknowledged', active_count: 0, acknowledged_by: ['anna'], alerts: all },
    ]),
  );
  await user.selectOptions(screen.getByLabelText('Status'), 'Acknowledged');
  await user.click(await screen.findByRole('button', { name: `Take back: ${LOCKED.title}` }));
  await user.click(await screen.findByRole('button', { name: 'Take it back' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent(api, 'unacknowledgeAlert')).toHaveLength(3);
});

it('silences the server of an incident for an hour, or the cluster where several servers are concerned', async () => {
  const wide = incident('c', [IDLE, ...DEAD], { place: 'orders', cluster_id: 4, server_count: 2 });
  const blackout = { id: 1, scope: 'server' as const, reason: '', start_time: ago(0), end_time: ago(-60) };
  const { user, api } = await open([LONE, wide], {
    createBlackout: { ...blackout, created_by: 'anna', created_at: ago(0), is_active: true },
  });
  await screen.findByText(/silence 1 h/);
  for (const name of ['Deadlocks', IDLE.title]) {
    (await link(name)).focus();
    await user.keyboard('s');
    const dialog = within(await screen.findByRole('dialog', { name: 'Silence for 1 hour?' }));
    await user.click(dialog.getByRole('button', { name: 'Silence for 1 h' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  }
  const bodies = sent(api, 'createBlackout').map(Object);
  expect(bodies).toMatchObject([
    { scope: 'server', connection_id: 3, reason: 'Deadlocks' },
    { scope: 'cluster', cluster_id: 4, reason: IDLE.title },
  ]);
  for (const { start_time, end_time } of bodies)
    expect(Date.parse(end_time) - Date.parse(start_time)).toBe(3_600_000);
});

it('explains an incident in the chat with its other alerts', async () => {
  const { user, asked } = await open([LOCKED]);
  (await link(LOCKED.what)).focus();
  await user.keyboard('e');
  expect(asked.questions).toMatchObject([
    {
      scope: { kind: 'server', id: 1 },
      about: { alert_id: 1, same_incident: [expect.any(String), expect.any(String)] },
    },
  ]);
});

it('does nothing that the reader may not', async () => {
  const alerts = LOCKED.alerts.map((one) => ({ ...one, may_acknowledge: false }));
  const { user } = await open([{ ...LOCKED, may_acknowledge: false, alerts }], {
    getUserInfo: { ...ADMIN, is_superuser: false, admin_permissions: [] },
  });
  (await link(LOCKED.what)).focus();
  await user.keyboard('afs');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByRole('button', { name: /^Acknowledge/ })).toBeNull();
  expect(screen.queryByText(/silence 1 h/)).toBeNull();
});

it('says what is watched where there is no incident', async () => {
  await open([], { listAlertIncidents: { incidents: [], total: 0, alert_count: 0, active_count: 0 } });
  await screen.findByText('No alert is open');
});
