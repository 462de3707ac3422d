// The overview on the estate: who wrote it, what is shown while there is none, and what was there when the stream fails.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { readAhead } from '../../../api/use-operation.ts';
import { Providers } from '../../../app/providers.tsx';
import { Events, Refusal, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { OverviewStrip } from './overview-strip.tsx';

const at = (summary: string) => ({
  ...{ summary, snapshot: null },
  generated_at: '2026-11-22T12:00:00.000Z',
  stale_at: '2026-11-22T12:05:00.000Z',
});
const streamed = (...data: unknown[]) =>
  new Events(
    data.map((one) => ({ id: '1', event: 'overview', data: one })),
    true,
  );
const strip = () => within(screen.getByRole('region', { name: 'Overview' }));

it('shows the newest text of the stream, and that rules wrote it', async () => {
  await startApi({
    streamOverview: streamed(
      { status: 'generating', summary: null },
      at('All 2 servers are online. Written by rules from what is stored, without a model.'),
    ),
  });
  show(<OverviewStrip />);
  await strip().findByText('All 2 servers are online.');
  expect(strip().getByText(/^Written by rules/).textContent).toContain('a newer one is due');
});

it('says when a model wrote it', async () => {
  await startApi({ streamOverview: streamed(at('Orders is slow.')) });
  show(<OverviewStrip />);
  await strip().findByText(/^Written by a model/);
});

it('shows what was read ahead of the page until the stream says something newer', async () => {
  const api = await startApi({ getOverview: at('Read ahead.'), streamOverview: new Refusal(503, 'Away.') });
  const { client, rerender } = show(null);
  await readAhead(client, 'getOverview', { query: {} });
  rerender(
    <Providers client={client}>
      <OverviewStrip />
    </Providers>,
  );
  expect(strip().getByText('Read ahead.')).toBeDefined();
  await strip().findByText('No newer one comes: Away.');
  expect(api.sent.map(({ operation }) => operation)).toEqual(['getOverview', 'streamOverview']);
});

it('says why there is none', async () => {
  const api = await startApi({ streamOverview: new Refusal(403, 'Not yours.') });
  show(<OverviewStrip />);
  await strip().findByText('No overview: Not yours.');
  expect(api.sent.length).toBe(1);
});
