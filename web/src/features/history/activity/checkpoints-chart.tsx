// A chart with the checkpoints that the log of the server has as flags: those that max_wal_size brought about stand out. Guards: where the
// log was not read or does not have them, it says so and marks nothing.
import { useMemo } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatCount, formatDuration } from '../../../lib/format.ts';
import { Chart, type ChartProps } from '../../../ui/charts/chart.tsx';
import { type ChartEvent, useChartPage } from '../../../ui/charts/chart-page.tsx';
import classes from './activity.module.css';

type Answer = OperationTypes['listConnectionCheckpoints']['result'];
type Checkpoint = Answer['checkpoints'][number];

const CAUSES = { time: 'timed', wal: 'requested by WAL volume', request: 'requested' } as const;

const causeOf = ({ cause }: Checkpoint) => (cause === null ? 'cause not known' : CAUSES[cause]);

function titleOf(one: Checkpoint): string {
  const { kind, buffers, total_seconds } = one;
  const wrote = buffers === null ? '' : `, ${formatCount(buffers)} buffers`;
  const took = total_seconds === null ? '' : ` in ${formatDuration(total_seconds)}`;
  return `${kind === 'checkpoint' ? 'Checkpoint' : 'Restartpoint'}, ${causeOf(one)}${wrote}${took}`;
}

/** Where each began, as far as that is known. */
const checkpointFlags = ({ checkpoints }: Pick<Answer, 'checkpoints'>): ChartEvent[] =>
  checkpoints.map((one) => ({
    id: `checkpoint-${one.id}`,
    at: Date.parse(one.started_at ?? one.ended_at),
    title: titleOf(one),
    severity: one.cause === 'wal' ? 'warning' : 'info',
  }));

/** "Checkpoints in the log: 12 timed, 3 requested by WAL volume." */
export function checkpointsText({ checkpoints, reading, is_logged, is_cut }: Answer): string {
  if (checkpoints.length === 0) {
    if (reading.state === 'never' || reading.state === 'unreadable')
      return 'Checkpoints are not marked: the log is not read. The tab Logs says why.';
    if (is_logged === false) return 'Checkpoints are not marked: log_checkpoints is off.';
    return 'The log has no checkpoint in this time.';
  }
  const counts = Map.groupBy(checkpoints, causeOf);
  const parts = [...counts].map(([cause, own]) => `${own.length} ${cause}`);
  const lacks = is_cut ? ` Only the newest ${countOf(checkpoints.length, 'checkpoint')} are marked.` : '';
  return `Checkpoints in the log: ${parts.join(', ')}.${lacks}`;
}

export function CheckpointsChart({
  id,
  title,
  unit,
  series,
}: Pick<ChartProps, 'title' | 'unit' | 'series'> & { id: number }) {
  const { grid } = useChartPage();
  const query = useOperation(
    'listConnectionCheckpoints',
    {
      params: { id },
      query: {
        start_time: new Date(grid.from).toISOString(),
        end_time: new Date(grid.to).toISOString(),
      },
    },
    { keepPrevious: true, staleMs: 60_000 },
  );
  const flags = useMemo(() => (query.data ? checkpointFlags(query.data) : []), [query.data]);
  return (
    <>
      <Chart title={title} unit={unit} series={series} flags={flags} />
      {query.data ? <p className={classes.quiet}>{checkpointsText(query.data)}</p> : null}
    </>
  );
}
