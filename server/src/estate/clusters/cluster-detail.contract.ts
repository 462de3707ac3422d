// How replication runs within a cluster: who replicates from whom, how far behind, through which slots. What cannot be
// measured is null, with the reason and what mends it.
import { ok, operation } from '../../kernel/contract.ts';
import {
  boolean,
  bytes,
  id,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
  timestamp,
} from '../../kernel/schema.ts';
import { clusterPath, RELATIONSHIP_TYPES } from './clusters.schemas.ts';

const MEASURED_AT = ['sender', 'receiver'] as const;

const seconds = (description: string) => nullable(number({ description }));
const since = () => nullable(timestamp({ description: 'Since when it is not known.' }));

/** Of figures that are of one moment. */
const unknown = {
  current_until: timestamp({
    description:
      'The figures are those of now until then, by the interval in force; after it they are unknown.',
  }),
  reason: nullable(text({ description: 'Why figures are not known, which are null then.' })),
  since: since(),
};

export const LinkReading = object(
  {
    measured_at: oneOf(MEASURED_AT, {
      description: 'sender: pg_stat_replication of the target; receiver: what the standby says of itself.',
    }),
    collected_at: timestamp(),
    state: nullable(text()),
    sync_state: nullable(text()),
    application_name: nullable(text()),
    slot_name: nullable(text()),
    write_lag_seconds: seconds('Null while idle: PostgreSQL measures it only when WAL is sent.'),
    flush_lag_seconds: seconds('As write_lag_seconds.'),
    replay_lag_seconds: seconds('As write_lag_seconds; of a receiver the age of what was replayed last.'),
    lag_bytes: nullable(bytes({ description: 'From the position of now to what is replayed.' })),
    replay_pause_state: nullable(
      text({ description: 'Of a receiver: not paused, pause requested or paused; null of a sender.' }),
    ),
    replay_paused_since: nullable(
      timestamp({
        description:
          'The earliest sample of the last day since which it was paused in each; it may be longer.',
      }),
    ),
    ...unknown,
  },
  { title: 'LinkReading' },
);

export const ClusterLink = object(
  {
    source_connection_id: id({ description: 'Who receives.' }),
    target_connection_id: id({ description: 'From whom.' }),
    relationship_type: oneOf(RELATIONSHIP_TYPES),
    is_auto_detected: boolean(),
    is_manual: boolean({ description: 'Set by hand; both may be true.' }),
    readings: list(LinkReading),
    reason: nullable(text({ description: 'Why the lag is not known; null when it is.' })),
    since: since(),
    mend: nullable(text({ description: 'The statement that fixes it.' })),
  },
  { title: 'ClusterLink' },
);

export const ClusterSlot = object(
  {
    connection_id: id(),
    slot_name: text(),
    slot_type: nullable(text()),
    database_name: nullable(text()),
    is_active: nullable(boolean()),
    wal_status: nullable(text({ description: 'reserved, extended, unreserved or lost.' })),
    retained_bytes: nullable(bytes({ description: 'WAL kept for it.' })),
    safe_wal_size_bytes: nullable(
      bytes({ description: 'WAL that may still be written before it may be lost.' }),
    ),
    invalidation_reason: nullable(text()),
    inactive_since: nullable(timestamp()),
    collected_at: timestamp(),
    ...unknown,
  },
  { title: 'ClusterSlot' },
);

export const ClusterTopologyDetail = object(
  {
    links: list(ClusterLink),
    slots: list(ClusterSlot),
    unread: list(object({ connection_id: id(), reason: text(), since: since(), mend: nullable(text()) }), {
      description: 'Servers whose slots could not be read.',
    }),
  },
  { title: 'ClusterTopologyDetail' },
);

const collected_at = '2026-11-20T10:00:00.000Z';
const known = { reason: null, since: null };

export const getClusterTopologyDetail = operation({
  id: 'getClusterTopologyDetail',
  method: 'GET',
  path: '/api/v1/clusters/{id}/topology',
  tag: 'clusters',
  summary: 'Replication within a cluster, with lag and slots',
  access: { object: 'cluster' },
  params: clusterPath(),
  paramsExample: { id: 'cluster-4' },
  extra: true,
  success: ok(ClusterTopologyDetail, {
    links: [
      {
        source_connection_id: 3,
        target_connection_id: 2,
        relationship_type: 'streams_from',
        is_auto_detected: true,
        is_manual: false,
        readings: [
          {
            measured_at: 'sender',
            collected_at,
            state: 'streaming',
            sync_state: 'async',
            application_name: 'orders-standby',
            slot_name: 'orders_standby',
            write_lag_seconds: 0.001,
            flush_lag_seconds: 0.002,
            replay_lag_seconds: 0.004,
            lag_bytes: 8192,
            replay_pause_state: null,
            replay_paused_since: null,
            current_until: '2026-11-20T10:01:15.000Z',
            ...known,
          },
        ],
        ...known,
        mend: null,
      },
    ],
    slots: [
      {
        connection_id: 2,
        slot_name: 'orders_standby',
        slot_type: 'physical',
        database_name: null,
        is_active: true,
        wal_status: 'reserved',
        retained_bytes: 8192,
        safe_wal_size_bytes: null,
        invalidation_reason: null,
        inactive_since: null,
        collected_at,
        current_until: '2026-11-20T10:12:30.000Z',
        ...known,
      },
    ],
    unread: [],
  }),
  notes: [
    'id as in GET /clusters/{id}, and server-N or cluster-spock-<prefix> of what is not stored too. Only servers the caller can read.',
    'Lag and slots are of the newest samples of pg_stat_replication and pg_replication_slots, taken at collected_at.',
    'Figures are null, with reason and since, once they are older than 2.5 of the intervals in force there, while the server does not answer, and of a standby without a WAL receiver.',
  ],
});
