// The columns of the estate. Unknown is a dash with its reason, never a zero.
import { Link } from 'react-router';
import type { EstateServer } from '../../api/types.ts';
import { countOf, formatBytes, formatCount } from '../../lib/format.ts';
import type { Sort } from '../../lib/sort.ts';
import type { Column } from '../../ui/data-table.tsx';
import { WarningIcon } from '../../ui/icons.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import { Unknown } from '../../ui/unknown.tsx';
import { ServerAlertCount } from '../alert-counts/alert-count.tsx';
import type { CountsByServer } from '../alert-counts/use-alert-counts.ts';
import { ServerFindingCount } from '../finding-counts/finding-count.tsx';
import type { FindingsByServer } from '../finding-counts/use-finding-counts.ts';
import classes from './estate-columns.module.css';
import { badness, stateOf } from './server-state.ts';

const NOT_YET = 'Not collected yet';

function Name({ server }: { server: EstateServer }) {
  const narrow = [
    server.version,
    server.role,
    server.size_bytes === null ? null : formatBytes(server.size_bytes),
  ];
  const place = `${server.host}:${server.port}${server.description ? ` · ${server.description}` : ''}`;
  return (
    <div className={classes.name}>
      <Link className={classes.link} to={`/servers/${server.connection_id}`} data-row-link>
        {server.name}
      </Link>
      <div className={classes.place} title={place}>
        {place}
      </div>
      <div className={classes.narrow}>{narrow.filter((part) => part !== null).join(' · ')}</div>
    </div>
  );
}

function State({ server }: { server: EstateServer }) {
  const { mark, label } = stateOf(server);
  const problems = server.is_monitored ? server.problem_count : 0;
  return (
    <div className={classes.state}>
      <Status mark={mark} label={label} />
      {problems > 0 ? (
        <Link
          className={classes.problems}
          to={`/servers/${server.connection_id}?tab=coverage`}
          title={`${countOf(problems, 'thing')} could not be collected: see why`}
        >
          <WarningIcon size={12} aria-hidden="true" />
          {formatCount(problems)}
          <span className="visually-hidden"> not collected, see why</span>
        </Link>
      ) : null}
      <div className={classes.sampled}>
        {server.last_sample_at === null ? null : <RelativeTime at={server.last_sample_at} />}
      </div>
      {server.is_monitored && server.connection_error ? (
        <div className={classes.error} title={server.connection_error}>
          {server.connection_error}
        </div>
      ) : null}
    </div>
  );
}

const time = (iso: string | null) => (iso === null ? null : Date.parse(iso));

const NAME: Column<EstateServer> = {
  key: 'name',
  title: 'Server',
  value: (server) => server.name,
  width: 'grow',
  render: (server) => <Name server={server} />,
};

export interface Counts {
  alerts: CountsByServer | undefined;
  findings: FindingsByServer | undefined;
  /** Servers that were never judged. */
  unjudged?: readonly number[] | undefined;
}

/** With the counts of alerts and findings where there is no room for columns of them. */
const statusColumn = ({ alerts, findings }: Counts): Column<EstateServer> => ({
  key: 'status',
  title: 'Status',
  value: badness,
  width: 'state',
  render: (server) => (
    <>
      <State server={server} />
      <div className={classes.alerts}>
        <ServerAlertCount connectionId={server.connection_id} count={alerts?.[server.connection_id] ?? 0} />
        <ServerFindingCount connectionId={server.connection_id} counts={findings?.[server.connection_id]} />
      </div>
    </>
  ),
});

const FACTS: readonly Column<EstateServer>[] = [
  {
    key: 'version',
    title: 'Version',
    value: (server) => server.version,
    descendingFirst: true,
    needs: 'medium',
    width: 'min',
    render: (server) => server.version ?? <Unknown because={NOT_YET} />,
  },
  {
    key: 'role',
    title: 'Role',
    value: (server) => server.role,
    needs: 'medium',
    width: 'min',
    render: (server) => server.role ?? <Unknown because={NOT_YET} />,
  },
  {
    key: 'databases',
    title: 'Databases',
    align: 'end',
    descendingFirst: true,
    value: (server) => server.database_count,
    needs: 'wide',
    width: 'min',
    render: (server) =>
      server.database_count === null ? <Unknown because={NOT_YET} /> : formatCount(server.database_count),
  },
  {
    key: 'size',
    title: 'Size',
    align: 'end',
    descendingFirst: true,
    value: (server) => server.size_bytes,
    needs: 'medium',
    width: 'small',
    render: (server) =>
      server.size_bytes === null ? <Unknown because={NOT_YET} /> : formatBytes(server.size_bytes),
  },
  {
    key: 'sample',
    title: 'Last sample',
    align: 'end',
    descendingFirst: true,
    value: (server) => time(server.last_sample_at),
    needs: 'medium',
    width: 'small',
    render: (server) =>
      server.last_sample_at === null ? (
        <Unknown because={NOT_YET} />
      ) : (
        <RelativeTime at={server.last_sample_at} />
      ),
  },
];

/** Active alerts; one that is acknowledged has somebody. */
const alertsColumn = (counts: CountsByServer | undefined): Column<EstateServer> => ({
  key: 'alerts',
  title: 'Alerts',
  hint: 'Active alerts',
  align: 'end',
  descendingFirst: true,
  value: ({ connection_id }) => counts?.[connection_id] ?? 0,
  needs: 'medium',
  width: 'min',
  render: ({ connection_id }) =>
    counts === undefined ? (
      <Unknown because="Not read yet" />
    ) : (
      <ServerAlertCount connectionId={connection_id} count={counts[connection_id] ?? 0} />
    ),
});

/** So that one that is graver always counts for more than any number of others. */
const weight = ({ critical, warning, info }: FindingsByServer[string]): number =>
  critical * 1e8 + warning * 1e4 + info;

const findingsColumn = ({ findings, unjudged = [] }: Counts): Column<EstateServer> => ({
  key: 'findings',
  title: 'Findings',
  hint: 'Open findings',
  align: 'end',
  descendingFirst: true,
  value: ({ connection_id }) => {
    const counts = findings?.[connection_id];
    return counts ? weight(counts) : 0;
  },
  needs: 'medium',
  width: 'min',
  render: ({ connection_id }) =>
    findings === undefined ? (
      <Unknown because="Not read yet" />
    ) : findings[connection_id] === undefined && unjudged.includes(connection_id) ? (
      <Unknown because="Not judged yet" />
    ) : (
      <ServerFindingCount connectionId={connection_id} counts={findings[connection_id]} />
    ),
});

/** `alerts`: counts of active ones; `findings`: of open ones; undefined until they were read. */
export const columnsOf = (counts: Counts): Column<EstateServer>[] => [
  NAME,
  statusColumn(counts),
  alertsColumn(counts.alerts),
  findingsColumn(counts),
  ...FACTS,
];

export const SORT_KEYS = columnsOf({ alerts: undefined, findings: undefined }).map((column) => column.key);
export const WORST_FIRST: Sort = { key: 'status', descending: false };
