// How the size of one table or index went in the window of the page, as a small line with its difference. Read only once
// its row has been near the screen for a moment, so that a long table does not ask for all of them, nor for those that somebody
// scrolls past.
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { formatBytes } from '../../../lib/format.ts';
import { COMPARISON_WORDS, coarseWindow } from '../../../lib/time-window.ts';
import { usePageTime } from '../../../lib/use-time-window.ts';
import { onGrid } from '../../../ui/charts/series.ts';
import { Sparkline } from '../../../ui/charts/sparkline.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { seriesOf } from '../activity/answers.ts';
import classes from './objects.module.css';
import { isoOf, type Row, textOf } from './rows.ts';

const BUCKETS = 24;

/** What is gone from the screen so soon was scrolled past. */
const PAST_MS = 200;

/** Whether an element has stood near the screen. */
function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(typeof IntersectionObserver === 'undefined');
  useEffect(() => {
    const { current } = element;
    if (!current || seen) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        clearTimeout(timer);
        if (entries.at(-1)?.isIntersecting) timer = setTimeout(() => setSeen(true), PAST_MS);
      },
      { rootMargin: '100px' },
    );
    observer.observe(current);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [element, seen]);
  return seen;
}

/** "+1.2 MB", "−8 kB", "same". */
export function differenceText(values: readonly (number | null)[]): string | null {
  const known = values.filter((value) => value !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || known.length < 2) return null;
  if (first === last) return 'same';
  return `${last > first ? '+' : ''}${formatBytes(last - first)}`;
}

/** Why a size that did not change is not known to be the same: the catalog has it of a vacuum or analyze. */
export function unchangedBecause(asOf: string | null, from: number): string | null {
  if (asOf === null)
    return 'The catalog has the same size throughout, and PostgreSQL does not say when it measured it';
  return Date.parse(asOf) <= from ? 'Not measured in this time: no vacuum or analyze ran' : null;
}

interface GrowthProps {
  id: number;
  probe: string;
  metric: 'table_size' | 'index_size';
  database: string;
  schema: string;
  name: string;
  /** Of when the newest size is, where that is known. */
  asOf: string | null;
}

function Difference({ text, because }: { text: string | null; because: string | null }) {
  if (text === null) return <Unknown because="Its size was not read twice in this time" />;
  return text === 'same' && because !== null ? <Unknown because={because} /> : text;
}

function Growth({ id, probe, metric, database, schema, name, asOf }: GrowthProps) {
  const place = useRef<HTMLDivElement>(null);
  const seen = useSeen(place);
  const time = usePageTime();
  const { from, to } = coarseWindow(time.window, time.isLive);
  const grid = { from, to, buckets: BUCKETS };
  const { compare } = time.state;
  const query = useOperation(
    'queryMetrics',
    {
      query: {
        connection_id: id,
        probe_name: probe,
        start_time: new Date(grid.from).toISOString(),
        end_time: new Date(grid.to).toISOString(),
        buckets: grid.buckets,
        metrics: metric,
        aggregation: 'last',
        database_name: database,
        schema_name: schema,
        ...(compare && { compare }),
        [metric === 'table_size' ? 'table_name' : 'index_name']: name,
      },
    },
    { enabled: seen, keepPrevious: true, staleMs: 60_000 },
  );
  const [series] = query.data ? seriesOf(query.data) : [];
  const values = series ? onGrid(series.data, grid) : [];
  const difference = differenceText(values);
  const before =
    series && compare ? differenceText(series.data.map(({ compared = null }) => compared)) : null;
  return (
    <div ref={place} className={classes.growth}>
      {query.error ? (
        <Unknown because={query.error.message} />
      ) : query.data === undefined ? (
        <span className={classes.pending} aria-hidden="true" />
      ) : (
        <>
          <Sparkline values={values} />
          <span>
            <Difference text={difference} because={unchangedBecause(asOf, from)} />
            {compare ? (
              <span className={classes.before}>
                {before === null ? 'not known' : before} {COMPARISON_WORDS[compare]}
              </span>
            ) : null}
          </span>
        </>
      )}
    </div>
  );
}

interface GrowthOf extends Pick<GrowthProps, 'probe' | 'metric'> {
  /** Columns of the row: the name, and of when the newest size is. */
  name: string;
  asOf?: string;
}

export const growthColumn = (id: number, { probe, metric, name, asOf }: GrowthOf): Column<Row> => ({
  key: 'growth',
  title: 'Growth',
  hint: 'Of the size in the time that is shown',
  needs: 'medium',
  width: 'middle',
  render: (row) => (
    <Growth
      {...{ id, probe, metric }}
      asOf={asOf === undefined ? null : isoOf(row, asOf)}
      database={textOf(row, 'database_name') ?? ''}
      schema={textOf(row, 'schemaname') ?? ''}
      name={textOf(row, name) ?? ''}
    />
  ),
});
