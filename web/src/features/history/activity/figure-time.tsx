// Of when a figure is: its age while the page follows its server, else the time that it covers. Ages are read at a glance, beside others.
import { hourText } from '../../../lib/zone.ts';
import { useChartPage } from '../../../ui/charts/chart-page.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';

export function FigureTime({
  of: { from, to },
  isLive,
}: {
  of: { from: number; to: number };
  isLive: boolean;
}) {
  const { zone } = useChartPage();
  return isLive ? (
    <RelativeTime at={new Date(to).toISOString()} />
  ) : (
    `${hourText(from, zone, true)} to ${hourText(to, zone, true)}`
  );
}
