// Of when a figure is, on a page that follows its server and on one of a window.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { show } from '../../../testing/show.tsx';
import { ChartPage } from '../../../ui/charts/chart-page.tsx';
import { FigureTime } from './figure-time.tsx';

const FROM = Date.parse('2026-11-20T10:00:00Z');
const GRID = { from: FROM, to: FROM + 300_000, buckets: 60 };

const showTime = (from: number, isLive: boolean) =>
  show(
    <ChartPage grid={GRID} zone="UTC" events={[]} onWindow={() => undefined}>
      <FigureTime of={{ from, to: from + 5000 }} isLive={isLive} />
    </ChartPage>,
  );

it('says the age while the page follows its server, so that an old figure is not taken for one of now', async () => {
  showTime(Date.now() - 250_000, true);
  expect(await screen.findByText('4 min ago')).toBeDefined();
});

it('says the time of a window', async () => {
  showTime(FROM, false);
  expect(await screen.findByText('10:00:00 to 10:00:05')).toBeDefined();
});
