// A row of figures: each with its newest value, of when it is, and its course over the window of the page.
import { Link, useSearchParams } from 'react-router';
import type { ServerInfo } from '../../../api/types.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { formatCount, formatShare, volumePercent } from '../../../lib/format.ts';
import { timeOf } from '../../../lib/time-window.ts';
import { useChartPage } from '../../../ui/charts/chart-page.tsx';
import { formatValue } from '../../../ui/charts/values.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Tile, TileRow } from '../../../ui/tiles.tsx';
import { type MetricSeries, reasonOf } from '../../history/activity/answers.ts';
import { FigureTime } from '../../history/activity/figure-time.tsx';
import { figureOf } from '../../history/activity/newest-figure.ts';
import { useSource } from '../../history/activity/source-charts.tsx';
import { useCoverage } from '../../history/coverage/use-coverage.ts';
import { LOAD as STATEMENTS } from '../../history/queries/queries-list.ts';
import { aheadText } from '../runway/runway-words.ts';
import { CACHE_HIT, CONNECTIONS, MEAN_TIME, type TileSource, TRANSACTIONS, WAL } from './tile-words.ts';

/** The title of a tile leads to the tab that says more. */
function TabLink({ title, tab }: { title: string; tab: string }) {
  const [search] = useSearchParams();
  const next = timeOf(search);
  next.set('tab', tab);
  return <Link to={`?${next}`}>{title}</Link>;
}

interface MetricProps {
  id: number;
  source: TileSource;
  found: readonly MetricSeries[] | undefined;
  isLive: boolean;
  /** Beside the value, such as a limit. */
  of?: string | undefined;
}

function MetricTile({ id, source, found, isLive, of }: MetricProps) {
  const { grid, zone } = useChartPage();
  const coverage = useCoverage(id, { isCounted: true }).data;
  const clock = { now: 1000 * currentSecond(), zone };
  const { title, tab, probe, metrics } = source;
  const { values, unit, newest } = figureOf(found ?? [], source, grid);
  const shown = newest && formatValue(newest.value, unit);
  return (
    <Tile
      title={<TabLink title={title} tab={tab} />}
      value={shown === undefined ? undefined : `${shown}${of ?? ''}`}
      isLoading={found === undefined}
      because={coverage && reasonOf(coverage.probes, probe, { metrics, clock, isBrief: true })}
      detail={newest && <FigureTime of={newest} isLive={isLive} />}
      values={values}
    />
  );
}

/** Days do not move in less. */
const RUNWAY_MS = 600_000;

function DiskTile({ info }: { info: ServerInfo }) {
  const id = info.connection_id;
  const runway = useOperation(
    'listRunway',
    { query: { connection_id: id, kind: 'disk', limit: 1 } },
    { everyMs: RUNWAY_MS },
  ).data?.items[0];
  const nowSeconds = Date.now() / 1000;
  const used = info.system.disks.flatMap(({ used_bytes, free_bytes, mount_point }) => {
    const percent = volumePercent(used_bytes, free_bytes);
    return percent === null ? [] : [{ percent, mount_point }];
  });
  const fullest = used.toSorted((a, b) => b.percent - a.percent)[0];
  const at = info.sections_collected_at?.system;
  const isDated = runway?.state === 'runs_out' && runway.runs_out_at !== null;
  return (
    <Tile
      title={<TabLink title="Disk used" tab="system" />}
      value={fullest && formatShare(Math.round(fullest.percent))}
      because="Nothing reports the disks of this host"
      detail={
        isDated && runway.runs_out_at !== null ? (
          `full ${aheadText(runway.runs_out_at, nowSeconds)}`
        ) : (
          <>
            {fullest && `on ${fullest.mount_point}, `}
            {at == null ? null : <RelativeTime at={at} />}
          </>
        )
      }
      values={runway?.days}
    />
  );
}

const sourceOf = (probe: string, ...tiles: TileSource[]) => ({
  probe,
  charts: tiles.map(({ title, metrics }) => ({ title, metrics })),
});
const DATABASE = sourceOf('pg_stat_database', TRANSACTIONS, CACHE_HIT);
const ACTIVITY = sourceOf('pg_stat_activity', CONNECTIONS);
const WAL_SOURCE = sourceOf('pg_stat_wal', WAL);

export function Tiles({ info, isLive }: { info: ServerInfo; isLive: boolean }) {
  const id = info.connection_id;
  const database = useSource({ id, source: DATABASE, isLive }).data;
  const statements = useSource({ id, source: STATEMENTS, isLive }).data;
  const activity = useSource({ id, source: ACTIVITY, isLive }).data;
  const wal = useSource({ id, source: WAL_SOURCE, isLive }).data;
  const most = info.postgresql.max_connections;
  return (
    <TileRow label="Key figures">
      <MetricTile id={id} source={TRANSACTIONS} found={database} isLive={isLive} />
      <MetricTile id={id} source={MEAN_TIME} found={statements} isLive={isLive} />
      <MetricTile
        id={id}
        source={CONNECTIONS}
        found={activity}
        isLive={isLive}
        of={most === null ? undefined : ` of ${formatCount(most)}`}
      />
      <MetricTile id={id} source={CACHE_HIT} found={database} isLive={isLive} />
      <MetricTile id={id} source={WAL} found={wal} isLive={isLive} />
      <DiskTile info={info} />
    </TileRow>
  );
}
