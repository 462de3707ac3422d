// Silences on the screen: what is in force, coming and past, a form that sends instants, a schedule with its next times
// before it is saved, a month by the reader's clock, and nothing to press for those who may not.

import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { HOUR_MS } from '../../../lib/units.ts';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { BILLING, EVERYWHERE, group, ORDERS } from '../../../testing/estate.ts';
import { ADMIN, show } from '../../../testing/show.tsx';
import { BlackoutNotice } from './blackout-notice.tsx';
import { holdsIn, placeOfServer, placesOf } from './blackout-scopes.ts';
import { draftBody, draftFault, newDraft, spanWords, targetWords } from './blackout-words.ts';
import { BlackoutsPage } from './blackouts-page.tsx';
import { monthAfter, onDay, weeksOf } from './month.ts';

const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const one = {
  id: 1,
  scope: 'server' as const,
  connection_id: 1,
  target_name: 'orders-primary',
  reason: 'Minor upgrade.',
  start_time: at(-1),
  end_time: at(1),
  created_by: 'anna',
  created_at: at(-1),
  is_active: true,
};
const COMING = {
  ...one,
  id: 2,
  scope: 'estate' as const,
  is_active: false,
  start_time: at(20),
  end_time: at(22),
};
const PAST = { ...one, id: 3, reason: 'Over.', is_active: false, start_time: at(-9), end_time: at(-8) };
const SCHEDULE = {
  id: 4,
  scope: 'estate' as const,
  name: 'Sunday upgrades',
  cron_expression: '0 2 * * SUN',
  duration_minutes: 120,
  timezone: 'Europe/Vienna',
  reason: '',
  enabled: true,
  created_by: 'anna',
  created_at: at(-1),
  updated_at: at(-1),
  in_words: 'Every Sunday at 02:00, for 2 hours, Europe/Vienna',
  next_start: at(30),
};
const PREVIEW = {
  in_words: 'Every day at 02:30, for 2 hours, Europe/Vienna',
  timezone: 'Europe/Vienna',
  duration_minutes: 120,
  occurrences: [
    {
      start_time: '2026-03-29T01:00:00.000Z',
      end_time: '2026-03-29T03:00:00.000Z',
      local_start: '2026-03-29T03:00',
      local_end: '2026-03-29T05:00',
      utc_offset: '+02:00',
      shift: 'skipped' as const,
      note: 'There is no 02:30 on 2026-03-29: the clocks go from 02:00 to 03:00, and it starts then.',
    },
  ],
};

const PLANNED = {
  planned: [{ schedule_id: 4, start_time: '2026-03-29T01:00:00.000Z', end_time: '2026-03-29T03:00:00.000Z' }],
  is_cut: false,
};

/** As the server cuts them. */
const listed = ({ path }: { path: string }) => {
  const query = new URLSearchParams(path.split('?')[1]);
  const all = query.get('active') === 'true' ? [one] : query.has('end_time') ? [PAST] : [COMING];
  return { blackouts: all, total_count: all.length };
};

const ANSWERS: Answers = {
  ...EVERYWHERE,
  listBlackouts: listed,
  listBlackoutSchedules: { schedules: [SCHEDULE], total_count: 1 },
  previewBlackoutSchedule: PREVIEW,
  listPlannedBlackouts: PLANNED,
  createBlackout: one,
  createBlackoutSchedule: SCHEDULE,
  stopBlackout: { ...one, is_active: false },
};

async function open(search = '', answers: Answers = {}) {
  const api = await startApi({ ...ANSWERS, ...answers });
  return { ...show(<BlackoutsPage />, { at: `/blackouts${search}` }), api };
}

it('says what is in force, coming and past, and stops one after a question', async () => {
  const { user, api } = await open();
  const inForce = within(await screen.findByRole('region', { name: 'In force' }));
  await inForce.findByText('orders-primary');
  inForce.getByText('Minor upgrade.');
  const coming = within(screen.getByRole('region', { name: 'Coming' }));
  await coming.findByText('The whole estate');
  await within(screen.getByRole('region', { name: 'Past' })).findByText('Over.');
  await screen.findByText('1 in force');
  await user.click(await inForce.findByRole('button', { name: 'Stop the silence of orders-primary' }));
  expect(api.sent.some(({ operation }) => operation === 'stopBlackout')).toBe(false);
  await user.click(await screen.findByRole('button', { name: 'Stop it now' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Stop it now' })).toBeNull());
  expect(api.sent.find(({ operation }) => operation === 'stopBlackout')?.path).toBe(
    '/api/v1/blackouts/1/stop',
  );
});

it('makes one for a server by the clock of the reader', async () => {
  const { user, api } = await open('?server=1');
  await user.click(await screen.findByRole('button', { name: 'New silence' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New silence' }));
  await waitFor(() => expect(dialog.getByLabelText<HTMLSelectElement>('Server').value).toBe('1'));
  await user.click(dialog.getByRole('button', { name: '2 h' }));
  await user.type(dialog.getByLabelText('Reason'), 'Upgrade');
  const [start, end] = ['Start', 'End'].map((label) => dialog.getByLabelText<HTMLInputElement>(label).value);
  await user.click(dialog.getByRole('button', { name: 'Create the silence' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'New silence' })).toBeNull());
  const body = Object(api.sent.find(({ operation }) => operation === 'createBlackout')?.body);
  expect(body).toMatchObject({ scope: 'server', connection_id: 1, database_name: '', reason: 'Upgrade' });
  expect(Date.parse(body.end_time) - Date.parse(body.start_time)).toBe(2 * HOUR_MS);
  // A field without an offset is read by the clock of the machine, as the reader reads it.
  expect([body.start_time, body.end_time].map((time) => Date.parse(time))).toEqual(
    [start, end].map((field) => Date.parse(`${field}:00`)),
  );
});

it('keeps what was typed and says why when it is refused', async () => {
  const { user } = await open('', { createBlackout: new Refusal(400, 'end_time must be in the future.') });
  await user.click(await screen.findByRole('button', { name: 'New silence' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New silence' }));
  await user.type(dialog.getByLabelText('Reason'), 'Upgrade');
  await user.click(dialog.getByRole('button', { name: 'Create the silence' }));
  await dialog.findByText('end_time must be in the future.');
  expect(dialog.getByLabelText<HTMLTextAreaElement>('Reason').value).toBe('Upgrade');
});

async function openSchedule(answers: Answers = {}, button = 'New schedule') {
  const shown = await open('?tab=schedules', answers);
  await shown.user.click(await screen.findByRole('button', { name: button }));
  const dialog = within(await screen.findByRole('dialog', { name: /schedule$/ }));
  const saved = () =>
    shown.api.sent.find(
      ({ operation }) => /BlackoutSchedule$/.test(operation) && /^(create|update)/.test(operation),
    );
  const gone = () => waitFor(() => expect(screen.queryByRole('dialog', { name: /schedule$/ })).toBeNull());
  return { ...shown, dialog, saved, gone };
}

it('makes a schedule of weekdays and two times, after it has shown the next five', async () => {
  const occurrences = Array.from({ length: 10 }, (_, index) =>
    PREVIEW.occurrences.map((one) => ({ ...one, start_time: at(index), note: index > 0 ? null : one.note })),
  ).flat();
  const { user, api, dialog, saved, gone } = await openSchedule({
    previewBlackoutSchedule: { ...PREVIEW, occurrences },
  });
  const day = (name: string) => dialog.getByRole('button', { name });
  expect(day('Sun').getAttribute('aria-pressed')).toBe('true');
  await user.click(day('Sun'));
  await user.click(dialog.getByRole('button', { name: 'Create the schedule' }));
  dialog.getByText('Give it a name.');
  await user.type(dialog.getByLabelText('Name'), 'Nightly');
  dialog.getByText('Choose at least one weekday.');
  await user.click(day('Sat'));
  await user.click(day('Mon'));
  fireEvent.change(dialog.getByLabelText('From'), { target: { value: '22:30' } });
  dialog.getByText('On the next day.');
  const zone = dialog.getByLabelText('Time zone');
  await user.clear(zone);
  await user.type(zone, 'Europe/Vienna');
  await dialog.findByText('Every day at 02:30, for 2 hours, Europe/Vienna');
  expect(dialog.getAllByText('Sun 29 Mar 2026 03:00 – 05:00')).toHaveLength(5);
  dialog.getByText(/There is no 02:30 on 2026-03-29/);
  const times = { cron_expression: '30 22 * * MON,SAT', duration_minutes: 330, timezone: 'Europe/Vienna' };
  const asked = () =>
    api.sent.filter(({ operation }) => operation === 'previewBlackoutSchedule').at(-1)?.body;
  await waitFor(() => expect(asked()).toEqual(times));
  await user.click(dialog.getByRole('button', { name: 'Create the schedule' }));
  await gone();
  expect(saved()?.body).toEqual({ scope: 'estate', name: 'Nightly', ...times, reason: '', enabled: true });
});

it('opens what is more than weekdays under Advanced, and keeps it', async () => {
  const own = { ...SCHEDULE, cron_expression: '0 2 1-7 * SUN', duration_minutes: 2000 };
  const { user, dialog, saved, gone } = await openSchedule(
    { listBlackoutSchedules: { schedules: [own], total_count: 1 }, updateBlackoutSchedule: own },
    'Change Sunday upgrades',
  );
  dialog.getByDisplayValue('0 2 1-7 * SUN');
  dialog.getByDisplayValue('2000');
  expect(dialog.getByLabelText<HTMLInputElement>('Weekdays').disabled).toBe(true);
  await user.type(dialog.getByLabelText('Reason'), 'Upgrade');
  await user.click(dialog.getByRole('button', { name: 'Save the schedule' }));
  await gone();
  expect(saved()?.body).toMatchObject({
    cron_expression: '0 2 1-7 * SUN',
    duration_minutes: 2000,
    reason: 'Upgrade',
  });
});

it('says the same as weekdays and as a cron expression', async () => {
  const { user, dialog } = await openSchedule();
  await user.click(dialog.getByRole('button', { name: 'Sun' }));
  await user.click(dialog.getByRole('button', { name: 'Tue' }));
  await user.click(dialog.getByLabelText('Advanced (cron)'));
  const cron = dialog.getByLabelText<HTMLInputElement>('Cron expression');
  expect([cron.value, dialog.getByLabelText<HTMLInputElement>('Minutes').value]).toEqual([
    '0 2 * * TUE',
    '120',
  ]);
  await user.clear(cron);
  await user.type(cron, '15 23 * * MON-FRI');
  await user.click(dialog.getByLabelText('Weekdays'));
  expect(dialog.getByLabelText<HTMLInputElement>('To').value).toBe('01:15');
  expect(dialog.getAllByRole('button', { pressed: true }).map((one) => one.textContent)).toEqual([
    'Mon',
    'Tue',
    'Wed',
    'Thu',
    'Fri',
  ]);
});

it('Enter in a field sends nothing, and Escape asks before what was typed is lost', async () => {
  const { user, api, dialog, gone } = await openSchedule();
  await user.type(dialog.getByLabelText('Name'), 'Nightly{Enter}');
  const zone = dialog.getByLabelText('Time zone');
  await user.clear(zone);
  await user.type(zone, 'Europe/Vienna{Enter}{Enter}{Escape}');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  await user.type(dialog.getByLabelText('From'), '{Enter}');
  await user.type(dialog.getByLabelText('Name'), '{Escape}');
  const question = within(await dialog.findByRole('alertdialog', { name: 'Discard your changes?' }));
  expect(document.activeElement).toBe(question.getByRole('button', { name: 'Keep editing' }));
  await user.keyboard('{Enter}');
  expect(dialog.queryByRole('alertdialog')).toBeNull();
  expect(document.activeElement).toBe(dialog.getByDisplayValue('Nightly'));
  dialog.getByDisplayValue('Europe/Vienna');
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await user.click(await dialog.findByRole('button', { name: 'Discard' }));
  await gone();
  expect(api.sent.some(({ operation }) => operation === 'createBlackoutSchedule')).toBe(false);
  // Nothing was typed: nothing is asked.
  await user.click(screen.getByRole('button', { name: 'New schedule' }));
  await user.type(await screen.findByLabelText('Name'), '{Escape}');
  await gone();
});

it('asks before a silence with a reason is lost, and Enter in its times sends nothing', async () => {
  const { user, api } = await open();
  await user.click(await screen.findByRole('button', { name: 'New silence' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New silence' }));
  dialog.getByText(/^Times are in .*, the time zone of this browser\.$/);
  await user.type(dialog.getByLabelText('Reason'), 'Upgrade');
  await user.type(dialog.getByLabelText('Start'), '{Enter}');
  await user.keyboard('{Escape}');
  await user.click(await dialog.findByRole('button', { name: 'Keep editing' }));
  dialog.getByDisplayValue('Upgrade');
  expect(api.sent.some(({ operation }) => operation === 'createBlackout')).toBe(false);
});

it('says in the form why an expression is none', async () => {
  const { user } = await open('?tab=schedules', {
    previewBlackoutSchedule: new Refusal(400, 'cron_expression: "@daily" is a macro.'),
  });
  await user.click(await screen.findByRole('button', { name: 'New schedule' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New schedule' }));
  await dialog.findByText('cron_expression: "@daily" is a macro.');
});

it('shows a month with what is stored and what schedules will make', async () => {
  const { user } = await open('?tab=calendar&month=2026-03', {
    listBlackouts: {
      blackouts: [{ ...PAST, start_time: '2026-03-10T12:00:00Z', end_time: '2026-03-10T13:00:00Z' }],
      total_count: 1,
    },
  });
  const month = within(await screen.findByRole('region', { name: 'March 2026' }));
  const cell = async (day: string) => within((await month.findByText(day)).closest('td') ?? document.body);
  (await cell('10 March')).getByText(/orders-primary/);
  await (await cell('29 March')).findByText(/Sunday upgrades/);
  await user.click(month.getByRole('button', { name: 'Later' }));
  await screen.findByRole('region', { name: 'April 2026' });
});

const MARCH = (more: object) => ({
  ...PAST,
  start_time: '2026-03-10T12:00:00Z',
  end_time: '2026-03-11T13:00:00Z',
  ...more,
});
const IN_MARCH: Answers = {
  listBlackouts: {
    blackouts: [
      MARCH({ id: 11, scope: 'cluster', connection_id: undefined, cluster_id: 4, target_name: 'orders' }),
      MARCH({
        id: 12,
        connection_id: 2,
        start_time: '2026-03-20T12:00:00Z',
        end_time: '2026-03-20T13:00:00Z',
      }),
    ],
    total_count: 2,
  },
};

it('shows a month with a row for each cluster, and says where only a part of it is kept quiet', async () => {
  await open('?tab=clusters&month=2026-03', IN_MARCH);
  const month = within(await screen.findByRole('region', { name: 'March 2026' }));
  const row = within(
    (await month.findByRole('rowheader', { name: 'orders' })).closest('tr') ?? document.body,
  );
  const cells = row.getAllByRole('cell');
  expect(cells).toHaveLength(31);
  const said = (day: number) => cells[day - 1]?.textContent ?? '';
  expect(said(9)).toBe('');
  expect(said(10)).toMatch(/Cluster orders, 10 Mar 2026 .*, over$/);
  expect(said(11)).toMatch(/^…Cluster orders/);
  expect(said(12)).toBe('');
  expect(said(20)).toMatch(/orders-primary, .*, a part of it$/);
  // What a schedule of the estate will make holds for every row.
  await waitFor(() => expect(said(29)).toMatch(/Sunday upgrades.*by a schedule$/));
  const billing = within(month.getByRole('rowheader', { name: 'billing' }).closest('tr') ?? document.body);
  expect(
    billing
      .getAllByRole('cell')
      .map((cell) => cell.textContent !== '')
      .indexOf(true),
  ).toBe(28);
  month.getByText(/^Dashed: planned by a schedule\. A number is the hour/);
});

it('says how many clusters have nothing in a month', async () => {
  await open('?tab=clusters&month=2026-03', {
    ...IN_MARCH,
    listBlackoutSchedules: { schedules: [], total_count: 0 },
    listPlannedBlackouts: { planned: [], is_cut: false },
  });
  await screen.findByText(/1 cluster has none in this month\./);
  expect(screen.queryByRole('rowheader', { name: 'billing' })).toBeNull();
});

it('narrows the calendar to a cluster: asks for its servers, and leaves out schedules of others', async () => {
  const other = { ...SCHEDULE, id: 5, scope: 'server' as const, connection_id: 3, name: 'Billing nights' };
  const { user, api } = await open('?tab=calendar&month=2026-03', {
    ...IN_MARCH,
    listBlackoutSchedules: { schedules: [SCHEDULE, other], total_count: 2 },
    listPlannedBlackouts: {
      planned: [...PLANNED.planned, ...PLANNED.planned.map((one) => ({ ...one, schedule_id: 5 }))],
      is_cut: true,
    },
  });
  await screen.findByText(/Billing nights/);
  screen.getByText(/Not all planned times are shown\./);
  await screen.findByRole('option', { name: 'orders' });
  const filter = screen.getByLabelText('Show only what holds for this cluster or server');
  await user.selectOptions(filter, 'orders');
  await waitFor(() => expect(screen.queryByText(/Billing nights/)).toBeNull());
  await screen.findByText(/Sunday upgrades/);
  const asked = () => api.sent.filter(({ operation }) => operation === 'listBlackouts').at(-1)?.path ?? '';
  await waitFor(() => expect(decodeURIComponent(asked())).toContain('covers_connection_ids=1,2'));
  await user.click(screen.getByRole('button', { name: 'New silence' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New silence' }));
  await waitFor(() => expect(dialog.getByLabelText<HTMLSelectElement>('Cluster').value).toBe('4'));
});

it('knows what holds for a place, and for all of it or a part', () => {
  const [billing, orders] = placesOf([group(1, 'Ungrouped', [ORDERS, BILLING])]);
  if (!billing || !orders) throw new Error('two places');
  const of = (scope: 'estate' | 'group' | 'cluster' | 'server', more: object = {}) => ({ scope, ...more });
  expect(holdsIn(of('estate'), billing)).toBe('all');
  expect(holdsIn(of('group', { group_id: 1 }), orders)).toBe('all');
  expect(holdsIn(of('group', { group_id: 2 }), orders)).toBeUndefined();
  expect(holdsIn(of('cluster', { cluster_id: 4 }), orders)).toBe('all');
  expect(holdsIn(of('cluster', { cluster_id: 4 }), billing)).toBeUndefined();
  expect(holdsIn(of('server', { connection_id: 2 }), orders)).toBe('part');
  expect(holdsIn(of('server', { connection_id: 2, database_name: 'shop' }), orders)).toBe('part');
  expect(holdsIn(of('server', { connection_id: 3 }), billing)).toBe('all');
  expect(holdsIn(of('server', { connection_id: 3 }), orders)).toBeUndefined();
  const standby = placeOfServer([billing, orders], 2);
  expect(standby && holdsIn(of('cluster', { cluster_id: 4 }), standby)).toBe('all');
  expect(standby && holdsIn(of('server', { connection_id: 1 }), standby)).toBeUndefined();
});

it('offers nothing to those who may not plan', async () => {
  await open('', { getUserInfo: { ...ADMIN, is_superuser: false, admin_permissions: [] } });
  await screen.findAllByText('Minor upgrade.');
  expect(screen.queryByRole('button', { name: /New|Stop|Change|Delete/ })).toBeNull();
});

it('the page of a server says until when it is kept quiet and why', async () => {
  const last = { ...one, id: 9, scope: 'estate' as const, end_time: at(5), reason: 'Moving.' };
  await startApi({ ...ANSWERS, listBlackouts: { blackouts: [one, last], total_count: 2 } });
  show(<BlackoutNotice connectionId={1} />);
  const notice = await screen.findByRole('status');
  expect(notice.textContent).toMatch(/^Silenced until .* \(The whole estate\): Moving\./);
  expect(within(notice).getByRole('link').getAttribute('href')).toBe('/blackouts?server=1');
});

it('words of what it is for and when', () => {
  expect(targetWords({ scope: 'server', target_name: 'orders', database_name: 'shop' })).toBe(
    'shop on orders',
  );
  expect(targetWords({ scope: 'cluster', target_name: 'orders' })).toBe('Cluster orders');
  const span = { start_time: '2026-03-28T23:30:00Z', end_time: '2026-03-29T01:30:00Z' };
  expect(spanWords(span, 'UTC')).toBe('28 Mar 2026 23:30 – 29 Mar 2026 01:30');
  // Half an hour after midnight to half past three, across the gap.
  expect(spanWords(span, 'Europe/Vienna')).toBe('29 Mar 2026 00:30 – 03:30');
});

it('a form that cannot be sent says why', () => {
  const now = Date.parse('2026-11-20T10:00:00Z');
  const draft = newDraft(now, 'UTC', { scope: 'server', id: '', database: '' });
  expect(draftFault(draft, now, 'UTC')).toBe('Choose what to silence.');
  const good = { ...draft, target: { ...draft.target, id: '2' } };
  expect(draftFault(good, now, 'UTC')).toBeUndefined();
  expect(draftFault({ ...good, end: good.start }, now, 'UTC')).toMatch(/after the start/);
  expect(draftFault({ ...good, end: '' }, now, 'UTC')).toMatch(/Both times/);
  expect(draftBody(good, 'Asia/Kolkata')).toMatchObject({ start_time: '2026-11-20T04:30:00.000Z' });
});

it('weeks go from Monday to Sunday, and a day holds what touches it', () => {
  const weeks = weeksOf('2026-02');
  expect([weeks[0]?.[0]?.date, weeks.at(-1)?.at(-1)?.date]).toEqual(['2026-01-26', '2026-03-01']);
  expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
  const span = { start_time: '2026-02-03T22:00:00Z', end_time: '2026-02-05T00:00:00Z' };
  const days = ['2026-02-02', '2026-02-03', '2026-02-04', '2026-02-05'];
  expect(days.map((date) => onDay([span], date, 'UTC').length)).toEqual([0, 1, 1, 0]);
});
