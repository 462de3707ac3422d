// The cluster as tables: its links with their lag, its slots, its servers.
import { Link } from 'react-router';
import { formatBytes, formatDuration } from '../../../lib/format.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Since } from '../../../ui/since.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './cluster-page.module.css';
import { keyOf, mainReading, pauseOf, relationOf, slotState } from './link-words.ts';
import { MembershipMark } from './marks.tsx';
import {
  type ClusterDetail,
  type ClusterLink,
  type ClusterSlot,
  roleNow,
  type Server,
  type State,
} from './model.ts';

type NameOf = (id: number) => string;

const origin = ({ is_auto_detected, is_manual }: ClusterLink) =>
  is_auto_detected && is_manual ? 'Detected, and by hand' : is_auto_detected ? 'Detected' : 'By hand';

function lagCell(link: ClusterLink, of: 'write_lag_seconds' | 'flush_lag_seconds' | 'replay_lag_seconds') {
  const reading = mainReading(link);
  if (!reading) return <Unknown because={link.reason ?? 'Not known'} />;
  const seconds = reading[of];
  return seconds === null ? (
    <Unknown because="Idle: measured only while WAL is sent" />
  ) : (
    formatDuration(seconds)
  );
}

function PausedReplay({ link }: { link: ClusterLink }) {
  const paused = pauseOf(link);
  if (paused === undefined) return null;
  return (
    <span className={classes.paused}>
      <Status mark="warning" label={paused.label} />
      {paused.since === null ? null : (
        <span>
          <Since at={paused.since} />
        </span>
      )}
    </span>
  );
}

const linkColumns = (nameOf: NameOf, onChoose: (key: string) => void): Column<ClusterLink>[] => [
  {
    key: 'link',
    title: 'Replication',
    width: 'grow',
    render: (link) => (
      <>
        <button type="button" className={classes.choose} onClick={() => onChoose(keyOf(link))}>
          <bdi>{nameOf(link.source_connection_id)}</bdi> {relationOf(link)}{' '}
          <bdi>{nameOf(link.target_connection_id)}</bdi>
        </button>
        <PausedReplay link={link} />
      </>
    ),
  },
  { key: 'origin', title: 'Origin', needs: 'medium', render: origin },
  {
    key: 'bytes',
    title: 'Lag',
    align: 'end',
    width: 'small',
    render: (link) => {
      const bytes = mainReading(link)?.lag_bytes ?? null;
      return bytes === null ? <Unknown because={link.reason ?? 'Not known'} /> : formatBytes(bytes);
    },
  },
  {
    key: 'write',
    title: 'Write lag',
    align: 'end',
    needs: 'wide',
    render: (link) => lagCell(link, 'write_lag_seconds'),
  },
  {
    key: 'flush',
    title: 'Flush lag',
    align: 'end',
    needs: 'wide',
    render: (link) => lagCell(link, 'flush_lag_seconds'),
  },
  {
    key: 'replay',
    title: 'Replay lag',
    align: 'end',
    needs: 'medium',
    render: (link) => lagCell(link, 'replay_lag_seconds'),
  },
  {
    key: 'sampled',
    title: 'Sampled',
    align: 'end',
    needs: 'medium',
    width: 'small',
    render: (link) => {
      const at = (mainReading(link) ?? link.readings[0])?.collected_at;
      return at === undefined ? <Unknown because={link.reason ?? 'Not known'} /> : <RelativeTime at={at} />;
    },
  },
];

export interface LinksProps {
  links: readonly ClusterLink[];
  nameOf: NameOf;
  onChoose: (key: string) => void;
}

export function LinksPanel({ links, nameOf, onChoose }: LinksProps) {
  return (
    <Panel title="Replication" flush>
      <DataTable
        caption="Replication between the servers, with lag"
        columns={linkColumns(nameOf, onChoose)}
        rows={links}
        rowKey={keyOf}
      />
    </Panel>
  );
}

const slotColumns = (nameOf: NameOf): Column<ClusterSlot>[] => [
  { key: 'slot', title: 'Slot', width: 'grow', render: (slot) => <Name>{slot.slot_name}</Name> },
  { key: 'server', title: 'On', needs: 'medium', render: (slot) => <bdi>{nameOf(slot.connection_id)}</bdi> },
  {
    key: 'type',
    title: 'Kind',
    needs: 'wide',
    render: (slot) => [slot.slot_type, slot.database_name].filter(Boolean).join(', ') || <Unknown />,
  },
  {
    key: 'state',
    title: 'State',
    width: 'state',
    render: (slot) => (
      <span title={slot.reason ?? undefined}>
        <Status {...slotState(slot)} />
      </span>
    ),
  },
  {
    key: 'wal',
    title: 'WAL',
    needs: 'wide',
    render: (slot) => slot.wal_status ?? <Unknown because={slot.reason ?? 'Not known'} />,
  },
  {
    key: 'kept',
    title: 'Retained WAL',
    align: 'end',
    width: 'small',
    render: (slot) =>
      slot.retained_bytes === null ? (
        <Unknown because={slot.reason ?? 'No WAL is retained, or it is unknown'} />
      ) : (
        formatBytes(slot.retained_bytes)
      ),
  },
  {
    key: 'sampled',
    title: 'Sampled',
    align: 'end',
    needs: 'medium',
    width: 'small',
    render: (slot) => <RelativeTime at={slot.collected_at} />,
  },
];

export function SlotsPanel({ detail, nameOf }: { detail: ClusterDetail; nameOf: NameOf }) {
  const { slots, unread } = detail;
  if (slots.length === 0 && unread.length === 0) return null;
  return (
    <Panel title="Replication slots" flush>
      {slots.length > 0 ? (
        <DataTable
          caption="Replication slots of the cluster"
          columns={slotColumns(nameOf)}
          rows={slots}
          rowKey={(slot) => `${slot.connection_id} ${slot.slot_name}`}
        />
      ) : null}
      {unread.length > 0 ? (
        <ul className={classes.unread}>
          {unread.map(({ connection_id, reason, since }) => (
            <li key={connection_id}>
              {reason}{' '}
              {since === null ? null : (
                <>
                  Not known <Since at={since} />.
                </>
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </Panel>
  );
}

const serverColumns = (stateOf: (server: Server) => State): Column<Server>[] => [
  {
    key: 'server',
    title: 'Server',
    width: 'grow',
    render: (server) => (
      <Link className={classes.server} to={`/servers/${server.id}`} data-row-link>
        <Name oneLine>{server.name}</Name>
      </Link>
    ),
  },
  {
    key: 'state',
    title: 'Status',
    width: 'state',
    render: (server) => <Status mark={stateOf(server).mark} label={stateOf(server).label} />,
  },
  {
    key: 'role',
    title: 'Role',
    needs: 'medium',
    render: (server) => roleNow(server) ?? <Unknown because="Not collected yet" />,
  },
  {
    key: 'version',
    title: 'Version',
    needs: 'medium',
    render: (server) => server.version ?? <Unknown because="Not collected yet" />,
  },
  {
    key: 'membership',
    title: 'Membership',
    needs: 'medium',
    render: (server) =>
      server.membership_source === 'manual' ? <MembershipMark server={server} /> : 'Detected',
  },
];

export function ServersPanel({
  servers,
  stateOf,
}: {
  servers: readonly Server[];
  stateOf: (server: Server) => State;
}) {
  return (
    <Panel title="Servers" flush>
      <DataTable
        caption="Servers of the cluster"
        columns={serverColumns(stateOf)}
        rows={servers}
        rowKey={(server) => String(server.id)}
        rowPath={(server) => `/servers/${server.id}`}
      />
    </Panel>
  );
}
