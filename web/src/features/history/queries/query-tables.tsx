// Tables of one statement: its figures beside those of the other window, what it waited for, and where it runs.
import { changeText } from '../../../lib/change.ts';
import { formatShare } from '../../../lib/format.ts';
import { COMPARISON_WORDS, type Comparison } from '../../../lib/time-window.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Meter } from '../../../ui/meter.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './queries.module.css';
import { figureOf, type QueryDetail, type QueryFigure, type QueryPlace } from './query-detail.ts';

const NOT_MEASURED = 'Not measured in this time';

function valueIn(unit: string, value: number | null) {
  return formatValue(value, unit) ?? <Unknown because={NOT_MEASURED} />;
}

const rateIn = ({ unit, per_second }: QueryFigure) =>
  per_second === null ? <Unknown because="It is no count" /> : formatValue(per_second, `${unit}/s`);

const FIGURES = (compare: Comparison): readonly Column<QueryFigure>[] => [
  {
    key: 'metric',
    title: 'Figure',
    render: ({ metric, description }) => (
      <div className={classes.figure}>
        <span>{description}</span>
        <code className={classes.place}>{metric}</code>
      </div>
    ),
  },
  {
    key: 'total',
    title: 'Total',
    hint: 'In this time',
    align: 'end',
    render: ({ unit, total }) => valueIn(unit, total),
  },
  { key: 'rate', title: 'A second', align: 'end', needs: 'medium', render: rateIn },
  {
    key: 'before',
    title: 'Before',
    hint: COMPARISON_WORDS[compare],
    align: 'end',
    needs: 'medium',
    render: ({ unit, compared_total }) => valueIn(unit, compared_total),
  },
  {
    key: 'change',
    title: 'Change',
    hint: `Against ${COMPARISON_WORDS[compare]}`,
    align: 'end',
    render: ({ total, compared_total }) =>
      changeText(total, compared_total) ?? <Unknown because="Not known of both times" />,
  },
];

export function Figures({ detail, compare }: { detail: QueryDetail; compare: Comparison }) {
  return (
    <Panel title="Figures" note={`of all databases and roles, beside ${COMPARISON_WORDS[compare]}`} flush>
      <DataTable
        caption="Figures of the statement"
        columns={FIGURES(compare)}
        rows={detail.figures}
        rowKey={({ metric }) => metric}
      />
    </Panel>
  );
}

type Wait = QueryDetail['waits']['events'][number];

const WAITS: readonly Column<Wait>[] = [
  {
    key: 'event',
    title: 'Waited for',
    render: ({ wait_class, wait_event }) =>
      wait_class === null ? 'CPU: running, or ready to run' : `${wait_class}: ${wait_event}`,
  },
  {
    key: 'percent',
    title: 'Share',
    width: 'small',
    render: ({ percent }) => (
      <div className={classes.load}>
        <span>{formatShare(percent)}</span>
        <Meter percent={percent} />
      </div>
    ),
  },
  {
    key: 'seconds',
    title: 'Time',
    hint: 'Of all sessions together',
    align: 'end',
    render: ({ session_seconds }) => formatValue(session_seconds, 'seconds'),
  },
];

export function Waits({ waits: { events, reason } }: Pick<QueryDetail, 'waits'>) {
  return (
    <Panel title="Waits" note="of sessions that ran it, as they were seen every second" flush>
      {events.length === 0 ? (
        <p className={classes.quiet}>{reason ?? 'No session that ran it was seen in this time.'}</p>
      ) : (
        <DataTable
          caption="What the statement waited for"
          columns={WAITS}
          rows={events}
          rowKey={({ wait_class, wait_event }) => `${wait_class} ${wait_event}`}
        />
      )}
    </Panel>
  );
}

const placeFigure = (metric: string, title: string, needs?: 'medium'): Column<QueryPlace> => ({
  key: metric,
  title,
  align: 'end',
  ...(needs && { needs }),
  render: ({ figures }) => {
    const figure = figureOf(figures, metric);
    return figure ? valueIn(figure.unit, figure.total) : <Unknown because={NOT_MEASURED} />;
  },
});

const PLACES: readonly Column<QueryPlace>[] = [
  {
    key: 'place',
    title: 'Database and role',
    render: ({ database_name, username, userid }) => (
      <div className={classes.figure}>
        <bdi>{database_name}</bdi>
        <bdi className={classes.place}>{username ?? `a role that is gone (${userid})`}</bdi>
      </div>
    ),
  },
  placeFigure('total_exec_time', 'Time'),
  placeFigure('calls', 'Calls', 'medium'),
  placeFigure('mean_time', 'Mean', 'medium'),
  {
    key: 'last_seen',
    title: 'Seen',
    align: 'end',
    render: ({ last_seen }) => <RelativeTime at={last_seen} />,
  },
];

export function Places({ places }: Pick<QueryDetail, 'places'>) {
  return (
    <Panel title="Where it runs" note="what it cost there in this time" flush>
      <DataTable
        caption="Databases and roles of the statement"
        columns={PLACES}
        rows={places}
        rowKey={({ database_name, userid }) => `${database_name}\n${userid}`}
      />
    </Panel>
  );
}
