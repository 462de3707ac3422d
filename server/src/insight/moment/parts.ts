// From stored rows of one instant to the parts of the answer. Pure. Guards: a part of which nothing is known has null and
// its reason; ages are of the second at which they were read.
import type { Output } from '../../kernel/contract.ts';
import { settingText } from '../../kernel/setting-text.ts';
import type { Row } from '../../store/layout/types.ts';
import { booleanOf, bytesOf, idOf, momentOf, numberOf, secondsTo, textOf } from './cells.ts';
import type * as contract from './moment.contract.ts';
import type { FactsOfMoment, MomentPart } from './stored-moment.ts';

type Answer = Output<typeof contract.getConnectionMoment>;

const MOST_COMBINATIONS = 100;
const MOST_SETTINGS = 1000;

export const asOf = ({ at, reason }: Pick<MomentPart, 'at' | 'reason'>) => ({
  as_of: at === null ? null : new Date(at).toISOString(),
  reason,
});

/** Null where nothing is known. */
const rowsOf = <T>({ at, rows }: MomentPart, of: (row: Row, at: number) => T): T[] | null =>
  at === null ? null : rows.map((row) => of(row, at));

export function sessionsOf(part: MomentPart, limit: number): Answer['sessions'] {
  const first = { ...part, rows: part.rows.slice(0, limit) };
  return {
    ...asOf(part),
    // Of very many, some rows stand for several.
    total_count:
      part.at === null ? null : part.rows.reduce((sum, row) => sum + (numberOf(row.stands_for) ?? 1), 0),
    rows: rowsOf(first, (row, at) => ({
      pid: numberOf(row.pid) ?? 0,
      leader_pid: numberOf(row.leader_pid),
      database: textOf(row.datname),
      user_name: textOf(row.usename),
      application_name: textOf(row.application_name),
      client_address: textOf(row.client_addr),
      backend_type: textOf(row.backend_type),
      state: textOf(row.state),
      wait_event_type: textOf(row.wait_event_type),
      wait_event: textOf(row.wait_event),
      queryid: idOf(row.query_id),
      query: textOf(row.query),
      connected_at: momentOf(row.backend_start),
      transaction_seconds: secondsTo(at, row.xact_start),
      query_seconds: secondsTo(at, row.query_start),
      state_seconds: secondsTo(at, row.state_change),
    })),
  };
}

const countOf = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + (numberOf(row.sessions) ?? 0), 0);

function classesOf(active: readonly Row[]) {
  const classes = Map.groupBy(active, (row) => textOf(row.wait_event_type) ?? 'CPU');
  return [...classes]
    .map(([wait_class, rows]) => ({ wait_class, sessions: countOf(rows) }))
    .sort((a, b) => b.sessions - a.sessions || (a.wait_class < b.wait_class ? -1 : 1));
}

export function waitsOf(part: MomentPart): Answer['waits'] {
  const active = part.rows.filter(({ state }) => state === 'active');
  const largest = part.rows
    .toSorted((a, b) => (numberOf(b.sessions) ?? 0) - (numberOf(a.sessions) ?? 0))
    .slice(0, MOST_COMBINATIONS);
  const isKnown = part.at !== null;
  return {
    ...asOf(part),
    active_count: isKnown ? countOf(active) : null,
    idle_in_transaction_count: isKnown ? countOf(part.rows) - countOf(active) : null,
    classes: isKnown ? classesOf(active) : null,
    combinations: rowsOf({ ...part, rows: largest }, (row) => ({
      sessions: numberOf(row.sessions) ?? 0,
      state: textOf(row.state) ?? '',
      wait_event_type: textOf(row.wait_event_type),
      wait_event: textOf(row.wait_event),
      database: textOf(row.datname),
      user_name: textOf(row.usename),
      application_name: textOf(row.application_name),
      client_address: textOf(row.client_addr),
      backend_type: textOf(row.backend_type),
      queryid: idOf(row.query_id),
      is_rest: row.is_rest === true,
      oldest_transaction_seconds: numberOf(row.oldest_xact_seconds),
      oldest_query_seconds: numberOf(row.oldest_query_seconds),
    })),
  };
}

export const progressOf = (part: MomentPart): Answer['progress'] => ({
  ...asOf(part),
  rows: rowsOf(part, (row, at) => ({
    command: textOf(row.command),
    pid: numberOf(row.pid),
    database: textOf(row.datname),
    user_name: textOf(row.usename),
    backend_type: textOf(row.backend_type),
    relation: textOf(row.relation_name),
    phase: textOf(row.phase),
    unit: textOf(row.unit),
    done: bytesOf(row.done),
    total: bytesOf(row.total),
    percent: numberOf(row.percent),
    running_seconds: secondsTo(at, row.started_at),
  })),
});

export const replicationOf = (part: MomentPart): Answer['replication'] => ({
  ...asOf(part),
  rows: rowsOf(part, (row) => ({
    role: textOf(row.role),
    pid: numberOf(row.pid),
    application_name: textOf(row.application_name),
    client_address: textOf(row.client_addr),
    state: textOf(row.state),
    sync_state: textOf(row.sync_state),
    receiver_status: textOf(row.receiver_status),
    sender_host: textOf(row.sender_host),
    lag_bytes: bytesOf(row.lag_bytes),
    write_lag_seconds: numberOf(row.write_lag),
    flush_lag_seconds: numberOf(row.flush_lag),
    replay_lag_seconds: numberOf(row.replay_lag),
    replay_pause_state: textOf(row.replay_pause_state),
  })),
});

export const slotsOf = (part: MomentPart): Answer['slots'] => ({
  ...asOf(part),
  rows: rowsOf(part, (row) => ({
    slot_name: textOf(row.slot_name),
    slot_type: textOf(row.slot_type),
    database: textOf(row.database),
    active: booleanOf(row.active),
    wal_status: textOf(row.wal_status),
    retained_bytes: bytesOf(row.retained_bytes),
  })),
});

export function settingsOf(facts: FactsOfMoment): Answer['settings'] {
  const rows = facts.items.slice(0, MOST_SETTINGS).map(({ since, value }) => {
    const setting = textOf(value.setting);
    return {
      name: textOf(value.name) ?? '',
      value: setting === null ? null : settingText(setting, textOf(value.unit)),
      source: textOf(value.source),
      since: new Date(since).toISOString(),
    };
  });
  return { ...asOf(facts), rows: facts.at === null ? null : rows };
}

export function serverOf(facts: FactsOfMoment): Answer['server'] {
  const value = facts.items[0]?.value;
  return {
    ...asOf(facts),
    version: textOf(value?.server_version),
    started_at: momentOf(value?.postmaster_start_time),
    is_in_recovery: booleanOf(value?.is_in_recovery),
    max_connections: numberOf(value?.max_connections),
  };
}
