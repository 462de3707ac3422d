// The fields of a probe's interval and retention: bounds in words before anything is sent, and what is sent goes to the
// place that was chosen.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Refusal, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { type EditedProbe, ProbeEditor } from './probe-editor.tsx';

const BUILT_IN = { is_enabled: true, collection_interval_seconds: 60, retention_days: 7 };
const PROBE: EditedProbe = {
  name: 'pg_stat_activity',
  description: 'Sessions.',
  built_in: BUILT_IN,
  scopes: [
    { key: 'server', scope_id: 3, title: 'This server', set: undefined, inherited: BUILT_IN },
    { key: 'global', config_id: 8, title: 'Whole estate', set: BUILT_IN, inherited: BUILT_IN },
  ],
  chain: [{ title: 'Default', values: BUILT_IN }],
};

async function open(probe: EditedProbe = PROBE) {
  const no = new Refusal(503, 'The datastore rests.');
  const api = await startApi({ setProbeOverride: no, updateProbeConfig: no });
  let closed = 0;
  const { user } = show(
    <ProbeEditor
      probe={probe}
      onClose={() => {
        closed += 1;
      }}
    />,
  );
  const interval = await screen.findByLabelText<HTMLInputElement>('Interval in seconds');
  const save = () => user.click(screen.getByRole('button', { name: 'Save' }));
  const type = async (text: string) => {
    await user.clear(interval);
    await user.type(interval, text);
  };
  return { api, user, interval, save, type, closed: () => closed };
}

it.each(['4', '86401', '1.5', 'soon'])(
  'refuses an interval of %s in words, and sends nothing',
  async (text) => {
    const { api, interval, save, type } = await open();
    await type(text);
    expect(interval.getAttribute('aria-invalid')).not.toBe('true');
    await save();
    await screen.findByText('A whole number of seconds from 5 to 86,400 (a day).');
    expect(api.sent).toEqual([]);
  },
);

it('takes one second where the probe is built for it', async () => {
  const built_in = { ...BUILT_IN, collection_interval_seconds: 1 };
  const { api, save, type } = await open({ ...PROBE, built_in });
  await type('1');
  await save();
  await screen.findByText('The datastore rests.');
  expect(api.sent[0]?.body).toMatchObject({ collection_interval_seconds: 1 });
});

it('says the interval in words while it is typed, and keeps it when the server refuses', async () => {
  const { api, interval, save, type, closed } = await open();
  await type('7200');
  await screen.findByText('every 2 h');
  await save();
  await screen.findByText('The datastore rests.');
  expect(interval.value).toBe('7200');
  expect(closed()).toBe(0);
  expect(api.sent.map(({ path }) => path)).toEqual(['/api/v1/probe-overrides/server/3/pg_stat_activity']);
});

it('sends only what was edited for the whole estate, and closes', async () => {
  const { api, user, save, type, closed } = await open();
  api.answer({
    updateProbeConfig: {
      id: 8,
      name: 'pg_stat_activity',
      description: '',
      collection_interval_seconds: 120,
      retention_days: 7,
      is_enabled: true,
      connection_id: null,
      created_at: '2026-11-20T10:00:00Z',
      updated_at: '2026-11-20T10:00:00Z',
    },
  });
  await user.selectOptions(screen.getByLabelText('Change it for'), 'Whole estate');
  await type('120');
  await save();
  await expect.poll(closed).toBe(1);
  expect(api.sent.map(({ body }) => body)).toEqual([{ collection_interval_seconds: 120 }]);
});
