// The form of a schedule: daily, weekly or monthly in words, its next times before it is saved, and cron for those who want it.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { type ReportSchedule, ScheduleFormDialog } from './schedule-form.tsx';

const occurrence = {
  ...{ start_time: '2026-12-01T08:00:00.000Z', end_time: '2026-12-01T08:01:00.000Z' },
  ...{ local_start: '2026-12-01T09:00', local_end: '2026-12-01T09:01', utc_offset: '+01:00' },
  ...{ shift: null, note: null },
};
const PREVIEW = {
  in_words: 'On day 1 at 09:00',
  timezone: 'Europe/Vienna',
  duration_minutes: 1,
  occurrences: Array.from({ length: 10 }, (_, hour) => ({
    ...occurrence,
    start_time: `2026-12-01T${hour + 10}:00:00.000Z`,
  })),
};
const SCHEDULE: ReportSchedule = {
  ...{ id: 7, name: 'Monthly', scope: 'estate' as const, scope_id: null, target_name: null, channel_id: 3 },
  ...{ channel_name: 'Mail', cron_expression: '0 9 1 * *', timezone: 'Europe/Vienna', enabled: true },
  ...{ in_words: 'On day 1 at 09:00', next_at: null, last: null, owner_username: 'ada' },
  ...{ created_at: '2026-11-01T00:00:00.000Z', updated_at: '2026-11-01T00:00:00.000Z' },
};

it('asks for day, time and zone, shows five next times, and sends the expression of the same', async () => {
  const { sent } = await startApi({ previewBlackoutSchedule: PREVIEW, updateReportSchedule: SCHEDULE });
  show(
    <ScheduleFormDialog
      opened
      schedule={SCHEDULE}
      target={{ name: 'Every server', scope: 'estate' }}
      channels={[{ id: 3, name: 'Mail' }]}
      onClose={() => undefined}
    />,
  );
  const dialog = within(await screen.findByRole('dialog', { name: 'Change the schedule' }));
  expect(dialog.getByRole('radio', { name: 'Monthly' })).toHaveProperty('checked', true);
  expect(dialog.queryByLabelText('Cron expression')).toBeNull();
  const next = await dialog.findByRole('list', { name: 'Next reports' });
  expect(within(next).getAllByRole('listitem')).toHaveLength(5);
  expect(next.textContent).toContain('Tue 1 Dec 2026 09:00');
  fireEvent.click(dialog.getByRole('radio', { name: 'Weekly' }));
  const save = dialog.getByRole('button', { name: 'Save the schedule' });
  fireEvent.click(dialog.getByRole('button', { name: 'Mon' }));
  expect(save).toHaveProperty('disabled', true);
  fireEvent.click(dialog.getByRole('button', { name: 'Fri' }));
  fireEvent.change(dialog.getByLabelText('At'), { target: { value: '17:30' } });
  fireEvent.click(save);
  const body = () => sent.find(({ operation }) => operation === 'updateReportSchedule')?.body;
  await waitFor(() => expect(body()).toMatchObject({ cron_expression: '30 17 * * FRI' }));
  fireEvent.click(dialog.getByRole('radio', { name: 'Cron' }));
  expect(dialog.getByLabelText('Cron expression')).toHaveProperty('value', '30 17 * * FRI');
});
