// The figure of a finding over time, with what its remedy promises as a line across.
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { BUCKETS, type Window } from '../../../lib/time-window.ts';
import { usePageTime } from '../../../lib/use-time-window.ts';
import { zoneName } from '../../../lib/zone.ts';
import { Chart } from '../../../ui/charts/chart.tsx';
import { ChartPage } from '../../../ui/charts/chart-page.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { figureLine, figureWindow } from './figure-line.ts';
import { type FindingDetail, figureWords } from './finding-words.ts';

function OverTime({ detail, whole }: { detail: FindingDetail; whole: Window }) {
  const time = usePageTime();
  const { finding, figures, promised } = detail;
  const { from, to } = time.state.fixed ?? whole;
  const grid = useMemo(() => ({ from, to, buckets: BUCKETS }), [from, to]);
  const series = useMemo(
    () => [
      { name: 'figure', values: figureLine(figures, { grid, lastSeen: Date.parse(finding.last_seen_at) }) },
    ],
    [figures, finding.last_seen_at, grid],
  );
  const events = useMemo(
    () => [
      { id: 'found', at: Date.parse(finding.opened_at), title: 'Found' },
      ...(finding.resolved_at === null
        ? []
        : [{ id: 'resolved', at: Date.parse(finding.resolved_at), title: 'Resolved' }]),
    ],
    [finding.opened_at, finding.resolved_at],
  );
  const level =
    promised === null || promised <= 0
      ? undefined
      : { name: `after the remedy ${figureWords(promised, finding)}`, value: promised };
  return (
    <ChartPage grid={grid} zone={zoneName(time.state.zone)} events={events} onWindow={time.showWindow}>
      <Panel
        title="Over time"
        note="the figure, while it was found"
        {...(time.state.fixed
          ? {
              actions: (
                <Button size="compact-sm" variant="default" onClick={() => time.showRange('1h')}>
                  Show the whole time
                </Button>
              ),
            }
          : {})}
      >
        <Chart title="The figure over time" unit={finding.figure_unit ?? ''} series={series} level={level} />
      </Panel>
    </ChartPage>
  );
}

/** Nothing where there is no figure. */
export function FindingChart({ detail }: { detail: FindingDetail }) {
  const whole = figureWindow(detail);
  return whole === undefined ? null : <OverTime detail={detail} whole={whole} />;
}
