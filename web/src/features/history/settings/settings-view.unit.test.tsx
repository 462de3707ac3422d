// The settings of a server on the screen: those that decide most, all of them with what they would be without any
// configuration, and how they were changed.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { ExplainCalls } from '../../../testing/explain.tsx';
import { show } from '../../../testing/show.tsx';
import { SettingsView } from './settings-view.tsx';

const setting = (name: string, more: Record<string, unknown>) => ({
  connection_id: 1,
  collected_at: '2026-11-20T11:55:00.000Z',
  name,
  unit: null,
  short_desc: `What ${name} does.`,
  source: 'configuration file',
  context: 'postmaster',
  pending_restart: false,
  ...more,
});

const ANSWERS: Answers = {
  getServerInfo: new Refusal(500, 'Not today.'),
  getConnectionCoverage: new Refusal(500, 'Not today.'),
  getLatestMetrics: {
    rows: [
      setting('shared_buffers', { setting: '16384', boot_val: '1024', unit: '8kB', pending_restart: true }),
      setting('archive_command', { setting: '', boot_val: '' }),
      setting('port', { setting: '5432', boot_val: '5432', source: 'default' }),
    ],
    total_count: 380,
  },
  listTimelineEvents: {
    total_count: 1,
    events: [
      {
        id: 'config-1',
        event_type: 'config_change',
        connection_id: 1,
        server_name: 'orders',
        occurred_at: '2026-11-20T09:10:00.000Z',
        severity: 'info',
        title: 'Setting work_mem modified',
        summary: 'work_mem went from 4096 kB to 7168 kB on orders.',
        details: { change_count: 1, changes: [{ name: 'work_mem', old_value: '4096', new_value: '7168' }] },
      },
    ],
  },
};

it('shows all of them, what they would be without configuration, and their changes of the last month', async () => {
  const api = await startApi(ANSWERS);
  const { user } = show(<SettingsView id={1} />, { at: '/servers/1?tab=settings&database=shop' });
  const all = within(await screen.findByRole('region', { name: 'All settings' }));
  const rows = (await all.findAllByRole('row')).map(({ textContent }) => textContent);
  // What somebody configured comes first.
  expect(rows[3]).toMatch(/^portWhat port does.5432default/);
  expect(rows[1]).toMatch(/^shared_buffers.*128 MBwithout any configuration: 8 MBWaits for a restart/);
  expect(rows[2]).toMatch(/^archive_command.*empty/);
  all.getByText(/^380 settings/);
  // Settings are the server's: there is no database to choose, and none is asked for.
  expect(all.queryByLabelText('Database')).toBeNull();
  const first = api.sent.find(({ operation }) => operation === 'getLatestMetrics');
  expect(first?.path).not.toMatch(/database_name/);
  await user.type(all.getByLabelText('Search settings'), 'wal');
  const asked = () => api.sent.map(({ path }) => new URLSearchParams(path.split('?')[1]));
  await expect.poll(() => asked().at(-1)?.get('search')).toBe('wal');
  const changes = within(screen.getByRole('region', { name: 'Changes of settings' }));
  expect((await changes.findByText(/^4096$/, { selector: 'del' })).textContent).toBe('before: 4096');
  expect(changes.queryByRole('button', { name: 'Alerts' })).toBeNull();
  const sent = asked().find((query) => query.has('event_types'));
  expect(sent?.get('event_types')).toBe('config_change,role_setting_change');
  expect(Date.parse(sent?.get('end_time') ?? '') - Date.parse(sent?.get('start_time') ?? '')).toBe(
    30 * 86_400_000,
  );
  await screen.findByText('Could not load the key settings');
});

it('asks the chat about a setting, with its value, default, unit and where it comes from', async () => {
  await startApi(ANSWERS);
  const asked = new ExplainCalls();
  const { user } = show(asked.around(<SettingsView id={1} />), { at: '/servers/1?tab=settings' });
  await user.click(await screen.findByRole('button', { name: 'Explain: shared_buffers' }));
  expect(asked.questions).toEqual([
    {
      message: 'What does the setting shared_buffers do, and is its value right for this server?',
      about: {
        ...{ kind: 'setting', name: 'shared_buffers', value: '16384', unit: '8kB', default: '1024' },
        ...{ source: 'configuration file', changed_by: 'postmaster', waits_for_restart: true },
        meaning: 'What shared_buffers does.',
      },
    },
  ]);
});
