// The load of a server as a chart: how many sessions were at work on average, as areas by what they waited for or who they
// were, with the processors to compare with.
import { useMemo } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { Chart } from '../../../ui/charts/chart.tsx';
import { useChartPage } from '../../../ui/charts/chart-page.tsx';
import type { Picks } from '../../../ui/charts/use-picks.ts';
import { Query } from '../../../ui/query.tsx';
import classes from './load.module.css';
import { type Load, levelOf, readText, type Split, seriesOf } from './load-words.ts';

/** As wide as the narrowest bucket of a window that follows the clock. */
const READ_MS = 30_000;

export interface LoadProps {
  id: number;
  split: Split;
  isLive: boolean;
  compare?: 'previous' | 'day' | 'week' | undefined;
}

/** Over the window of the page. */
export function useLoad({ id, split, isLive, compare }: LoadProps) {
  const { grid } = useChartPage();
  return useOperation(
    'getConnectionLoad',
    {
      params: { id },
      query: {
        split_by: split,
        buckets: grid.buckets,
        start_time: new Date(grid.from).toISOString(),
        end_time: new Date(grid.to).toISOString(),
        ...(compare === undefined ? {} : { compare }),
      },
    },
    { keepPrevious: true, ...(isLive ? { everyMs: READ_MS } : {}) },
  );
}

interface DrawnProps {
  load: Load;
  isStrip: boolean;
  isTall: boolean;
  picks: Picks | undefined;
}

function Drawn({ load, isStrip, isTall, picks }: DrawnProps) {
  const { grid } = useChartPage();
  const series = useMemo(() => seriesOf(load, grid), [load, grid]);
  const level = useMemo(() => levelOf(load), [load]);
  const { processors, members_reason } = load;
  if (load.coverage === 0)
    return <p className={classes.nothing}>Sessions of this server were not sampled in this time.</p>;
  return (
    <>
      <Chart title="Active sessions" unit="" isStacked {...{ series, level, isStrip, isTall, picks }} />
      {isStrip ? null : (
        <p className={classes.remark}>
          Average active sessions, {readText(load)}.
          {processors.reason === null ? '' : ` The number of CPUs is not known: ${processors.reason}`}
          {members_reason === null ? '' : ` ${members_reason}`}
        </p>
      )}
    </>
  );
}

interface ChartProps {
  query: ReturnType<typeof useLoad>;
  /** Low, to choose a moment in. */
  isStrip?: boolean;
  /** As high as the list beside it. */
  isTall?: boolean;
  picks?: Picks;
}

export function LoadChart({ query, isStrip = false, isTall = false, picks }: ChartProps) {
  return (
    <Query query={query} what="the load" lines={isStrip ? 2 : isTall ? 12 : 7}>
      {(load) => <Drawn load={load} {...{ isStrip, isTall, picks }} />}
    </Query>
  );
}
