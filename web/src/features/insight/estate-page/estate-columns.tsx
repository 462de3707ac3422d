// The columns of the estate: which server it is and how it is, its figures, and what is to be looked at. Unknown is a dash with its
// reason, never a zero.
import { Link } from 'react-router';
import type { EstateServer } from '../../../api/types.ts';
import { countOf, formatBytes, formatCount } from '../../../lib/format.ts';
import type { Sort } from '../../../lib/sort.ts';
import { exactTime } from '../../../lib/time.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { HideIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { ServerAlertCount } from '../../alerting/alert-counts/alert-count.tsx';
import { stateKey, stateOf } from '../../estate/estate/server-state.ts';
import { ServerFindingCount } from '../finding-counts/finding-count.tsx';
import classes from './estate-columns.module.css';
import { type EstateRow, findingsWeight, hurt } from './estate-row.ts';
import { FIGURE_COLUMNS } from './figure-columns.tsx';
import { Tags } from './tags.tsx';

const NOT_YET = 'Not collected yet';

function placeOf({ host, port, description, database_count, last_sample_at }: EstateServer): string {
  return [
    `${host}:${port}`,
    ...(description ? [description] : []),
    ...(database_count === null ? [] : [countOf(database_count, 'database')]),
    last_sample_at === null ? 'no sample yet' : `last sample ${exactTime(last_sample_at)}`,
  ].join(' · ');
}

/** What it is, or what is wrong with it. */
function Facts({ server }: { server: EstateServer }) {
  const { role, version, size_bytes, is_monitored, connection_error } = server;
  const isOnline = stateKey(server) === 'online';
  const error = is_monitored ? connection_error : null;
  const known = [role, version, size_bytes === null ? null : formatBytes(size_bytes)];
  const facts = error ?? known.filter((one) => one !== null).join(' · ');
  return (
    <div
      className={classes.facts}
      data-error={error !== null || undefined}
      title={[...(error ? [error] : []), placeOf(server)].join(' · ')}
    >
      {isOnline ? null : (
        <span className={classes.word}>
          {stateOf(server).label}
          {facts === '' ? null : ' · '}
        </span>
      )}
      {facts === '' && isOnline ? <Unknown because={NOT_YET} /> : facts}
    </div>
  );
}

/** Quiet: that something is not collected is no trouble of the server, and stands beside its alerts. */
function Problems({ server: { connection_id, is_monitored, problem_count } }: { server: EstateServer }) {
  if (!is_monitored || problem_count === 0) return null;
  return (
    <Link
      className={classes.problems}
      to={`/servers/${connection_id}?tab=coverage`}
      title={`${countOf(problem_count, 'reading')} could not be collected: see why`}
    >
      <HideIcon size={13} aria-hidden="true" />
      {formatCount(problem_count)}
      <span className="visually-hidden"> not collected, see why</span>
    </Link>
  );
}

function Findings({ row: { server, findings } }: { row: EstateRow }) {
  if (findings === undefined) return <Unknown because="Not read yet" />;
  if (findings === 'unjudged') return <Unknown because="Not judged yet" />;
  return findings === 'none' ? null : (
    <ServerFindingCount connectionId={server.connection_id} counts={findings} />
  );
}

const Alerts = ({ row: { server, alerts } }: { row: EstateRow }) =>
  alerts === undefined ? (
    <Unknown because="Not read yet" />
  ) : (
    <ServerAlertCount connectionId={server.connection_id} count={alerts} />
  );

function ServerCell({ row }: { row: EstateRow }) {
  const { server } = row;
  const { mark, label } = stateOf(server);
  // Any other state is said in words, below the name.
  const isOnline = stateKey(server) === 'online';
  return (
    <div className={classes.server}>
      <Status mark={mark} label={isOnline ? label : ''} iconOnly />
      <div className={classes.name}>
        <div className={classes.head}>
          <Link className={classes.link} to={`/servers/${server.connection_id}`} data-row-link>
            {server.name}
          </Link>
          <Problems server={server} />
        </div>
        <Facts server={server} />
        <Tags server={server} />
        <div className={classes.narrow}>
          <ServerAlertCount connectionId={server.connection_id} count={row.alerts ?? 0} />
          {typeof row.findings === 'object' ? <Findings row={row} /> : null}
        </div>
      </div>
    </div>
  );
}

function Change({ change }: Pick<EstateRow, 'change'>) {
  if (change === undefined) return <Unknown because="Not read yet" />;
  if (change === 'none')
    return (
      <span
        className={layout.small}
        title="No change was seen in the last 24 hours, or 200 newer ones of each kind"
      >
        none
      </span>
    );
  return (
    <span title={change.title}>
      <RelativeTime at={change.occurred_at} />
    </span>
  );
}

const time = (iso: string) => Date.parse(iso);

const SERVER: Column<EstateRow> = {
  key: 'status',
  title: 'Server',
  hint: 'What hurts most comes first',
  order: 'worst first',
  value: hurt,
  width: 'grow',
  render: (row) => <ServerCell row={row} />,
};

const COUNTS: readonly Column<EstateRow>[] = [
  {
    key: 'alerts',
    title: 'Alerts',
    hint: 'Active alerts',
    align: 'end',
    descendingFirst: true,
    value: ({ alerts }) => alerts ?? null,
    needs: 'medium',
    width: 'min',
    render: (row) => <Alerts row={row} />,
  },
  {
    key: 'findings',
    title: 'Findings',
    hint: 'Open findings',
    align: 'end',
    descendingFirst: true,
    value: findingsWeight,
    needs: 'medium',
    width: 'min',
    render: (row) => <Findings row={row} />,
  },
  {
    key: 'change',
    title: 'Changed',
    hint: 'The last change that was seen',
    align: 'end',
    descendingFirst: true,
    value: ({ change }) => (typeof change === 'object' ? time(change.occurred_at) : null),
    needs: 'wide',
    width: 'min',
    render: ({ change }) => <Change change={change} />,
  },
];

/** By what has no column of its own. */
export const ORDERS = [
  { key: 'name', descending: false, title: 'Name', value: ({ server }: EstateRow) => server.name },
  { key: 'version', descending: true, title: 'Version', value: ({ server }: EstateRow) => server.version },
  { key: 'role', descending: false, title: 'Role', value: ({ server }: EstateRow) => server.role },
  { key: 'size', descending: true, title: 'Size', value: ({ server }: EstateRow) => server.size_bytes },
] as const;

export const COLUMNS: readonly Column<EstateRow>[] = [SERVER, ...FIGURE_COLUMNS, ...COUNTS];
export const SORT_KEYS = [...COLUMNS, ...ORDERS].flatMap(({ key, value }) => (value ? [key] : []));
export const WORST_FIRST: Sort = { key: 'status', descending: false };
