// What a server does at this moment, in lines: what is wrong first by its mark. Pure. Guards: a line whose reading is not there
// says why, never zero; each says of when it is.
import { countOf, formatCount } from '../../../lib/format.ts';
import { cutText } from '../../../lib/inert-text.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import { LONG_LAG_SECONDS, pausedReplay } from '../../history/replication/replay-pause.ts';
import type { Moment } from '../../history/sessions/use-moment.ts';

export interface NowLine {
  name: string;
  /** Null: not known. */
  value: string | null;
  /** Why it is not known. */
  because?: string | undefined;
  detail?: string | undefined;
  /** It needs to be looked at. */
  isWrong?: boolean;
  /** The part of the page that says more. */
  tab: string;
  at: string | null;
}

/** From how long on a wait, or an open transaction that does nothing, is shown as wrong. */
const LONG_SECONDS = 30;
const BUSY_PERCENT = 90;
/** As the alert rule has it. */
const CONNECTIONS_PERCENT = 80;

const secondsText = (seconds: number | null) => formatValue(seconds, 'seconds');
const unknownOf = ({ reason }: { reason: string | null }) => ({ value: null, because: reason ?? undefined });

type LockNode = NonNullable<Moment['locks']['nodes']>[number];

/** "held by PID 4242 (nightly), idle in transaction for 62 s". */
function blockerText({ pid, kind, gid, application_name, ...node }: LockNode): string {
  if (kind === 'prepared_transaction') return `held by prepared transaction ${gid ?? ''}`.trimEnd();
  const name = application_name ? ` (${application_name})` : '';
  const idle = secondsText(node.idle_in_transaction_seconds);
  const open = secondsText(node.transaction_seconds);
  const since =
    idle !== undefined
      ? `, idle in transaction for ${idle}`
      : open !== undefined
        ? `, in a transaction for ${open}`
        : '';
  return `held by PID ${pid}${name}${since}`;
}

function locksLine({ locks }: Moment): NowLine {
  const line = { name: 'Lock waits', tab: 'locks', at: locks.as_of };
  const { nodes, waiting_count } = locks;
  if (nodes === null || waiting_count === null) return { ...line, ...unknownOf(locks) };
  if (waiting_count === 0) return { ...line, value: 'none' };
  const root = nodes.find(({ depth, blocked_count }) => depth === 0 && blocked_count > 0);
  const longest = nodes.reduce<number | null>((most, { waits }) => {
    const seconds = waits?.seconds ?? null;
    return seconds !== null && seconds > (most ?? 0) ? seconds : most;
  }, null);
  const since = longest !== null ? `, longest ${secondsText(longest)}` : '';
  return {
    ...line,
    value: `${countOf(waiting_count, 'session')} ${waiting_count === 1 ? 'waits' : 'wait'}${since}`,
    detail: root && blockerText(root),
    isWrong: true,
  };
}

type Session = NonNullable<Moment['sessions']['rows']>[number];

/** The session of a client for which that figure is the largest. */
function longestOf(rows: readonly Session[], of: (row: Session) => number | null): Session | undefined {
  return rows
    .filter((row) => row.backend_type === 'client backend' && (of(row) ?? 0) > 0)
    .toSorted((a, b) => (of(b) ?? 0) - (of(a) ?? 0))[0];
}

const whoText = ({ pid, user_name, application_name }: Session) =>
  [`PID ${pid}`, application_name || user_name].filter(Boolean).join(', ');

const oneLine = (query: string | null) => cutText((query ?? '').replaceAll(/\s+/g, ' ').trim(), 120);

function queryLine({ sessions }: Moment): NowLine {
  const line = { name: 'Longest query', tab: 'sessions', at: sessions.as_of };
  if (sessions.rows === null) return { ...line, ...unknownOf(sessions) };
  const longest = longestOf(sessions.rows, ({ state, query_seconds }) =>
    state === 'active' ? query_seconds : null,
  );
  if (!longest) return { ...line, value: 'none running' };
  const query = oneLine(longest.query);
  return {
    ...line,
    value: `${secondsText(longest.query_seconds)} (${whoText(longest)})`,
    detail: query === '' ? undefined : query,
  };
}

/** Left out while there is none. */
function idleLine({ sessions }: Moment): NowLine[] {
  const idle = longestOf(sessions.rows ?? [], ({ state, state_seconds }) =>
    state?.startsWith('idle in transaction') ? state_seconds : null,
  );
  if (!idle) return [];
  return [
    {
      name: 'Idle in transaction',
      value: `${secondsText(idle.state_seconds)} (${whoText(idle)})`,
      isWrong: (idle.state_seconds ?? 0) >= LONG_SECONDS,
      tab: 'sessions',
      at: sessions.as_of,
    },
  ];
}

/** The application with most of these sessions, and how many of them do nothing. */
function mostOf(clients: readonly Session[]): string | undefined {
  const [first] = [...Map.groupBy(clients, ({ application_name }) => application_name ?? '')].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  if (!first) return undefined;
  const [name, sessions] = first;
  const idle = sessions.filter(({ state }) => state === 'idle').length;
  return `${countOf(sessions.length, 'session')} of ${name || 'no application name'}, ${formatCount(idle)} idle`;
}

/** Left out while enough are free. */
function connectionsLine({ sessions, server: { max_connections: most } }: Moment): NowLine[] {
  const { rows, total_count, as_of } = sessions;
  if (rows === null || total_count === null || most === null || most === 0) return [];
  const clients = rows.filter(({ backend_type }) => backend_type === 'client backend');
  // A list that is cut has all processes of the server itself, which are older or at work.
  const used = total_count - (rows.length - clients.length);
  if ((used / most) * 100 < CONNECTIONS_PERCENT) return [];
  return [
    {
      name: 'Connections',
      value: `${formatCount(used)} of ${formatCount(most)} used`,
      detail: rows.length < total_count ? undefined : mostOf(clients),
      isWrong: true,
      tab: 'sessions',
      at: as_of,
    },
  ];
}

function activeLine({ waits }: Moment): NowLine {
  const line = { name: 'Active sessions', tab: 'load', at: waits.as_of };
  const { active_count, classes } = waits;
  if (active_count === null || classes === null) return { ...line, ...unknownOf(waits) };
  const parts = classes.map(({ wait_class, sessions }) => `${wait_class} ${formatCount(sessions)}`);
  return {
    ...line,
    value: formatCount(active_count),
    detail: parts.length > 0 ? parts.join(', ') : undefined,
  };
}

function cpuLine({ host: { cpu } }: Moment): NowLine {
  const line = { name: 'CPU', tab: 'system', at: cpu.as_of };
  if (cpu.busy_percent === null)
    return {
      ...line,
      value: null,
      because: cpu.reason ?? 'A share needs two readings; of a new server the second follows in a minute.',
    };
  // Less than a percent explains nothing.
  const wait = (cpu.io_wait_percent ?? 0) < 1 ? undefined : formatValue(cpu.io_wait_percent, 'percent');
  return {
    ...line,
    value: `${formatValue(cpu.busy_percent, 'percent')} busy`,
    detail: wait === undefined ? undefined : `${wait} waiting for disks`,
    isWrong: cpu.busy_percent >= BUSY_PERCENT,
  };
}

type Link = NonNullable<Moment['replication']['rows']>[number];

function lagText({ replay_lag_seconds, lag_bytes }: Link): string | undefined {
  return secondsText(replay_lag_seconds) ?? formatValue(lag_bytes, 'bytes');
}

function lagLine({ replication }: Moment): NowLine {
  const line = { name: 'Replication lag', tab: 'replication', at: replication.as_of };
  if (replication.rows === null) return { ...line, ...unknownOf(replication) };
  const [worst] = replication.rows.toSorted(
    (a, b) =>
      (b.replay_lag_seconds ?? -1) - (a.replay_lag_seconds ?? -1) ||
      (b.lag_bytes ?? -1) - (a.lag_bytes ?? -1),
  );
  if (!worst) return { ...line, value: 'no standby connected' };
  // A standby without a receiver is process 0.
  if (worst.role === 'standby' && worst.pid === 0)
    return { ...line, value: 'no WAL receiver: nothing reaches this standby', isWrong: true };
  const name = worst.application_name ?? worst.client_address ?? worst.sender_host;
  const lag = lagText(worst);
  const paused = pausedReplay(worst.replay_pause_state);
  const end = name === null ? undefined : `${worst.role === 'standby' ? 'from' : 'to'} ${name}`;
  return {
    ...line,
    value: lag ?? null,
    because: 'PostgreSQL reports no lag for this connection',
    detail: [paused, end].filter(Boolean).join(', ') || undefined,
    isWrong: paused !== undefined || (worst.replay_lag_seconds ?? 0) >= LONG_LAG_SECONDS,
  };
}

/** Left out while each has a consumer. On a standby those that follow a primary's have none by design. */
function slotLine({ slots, server }: Moment): NowLine[] {
  const idle = (slots.rows ?? []).filter(({ active }) => active === false);
  const [most] = idle.toSorted((a, b) => (b.retained_bytes ?? -1) - (a.retained_bytes ?? -1));
  if (!most || server.is_in_recovery !== false) return [];
  const name = `"${most.slot_name ?? ''}"`;
  const kept = formatValue(most.retained_bytes, 'bytes');
  const retained = kept === undefined ? undefined : `retains ${kept} of WAL`;
  return [
    {
      name: 'Replication slots',
      value: `${formatCount(idle.length)} without a consumer`,
      detail: [name, retained].filter(Boolean).join(' '),
      isWrong: true,
      tab: 'replication',
      at: slots.as_of,
    },
  ];
}

/** In the order in which one looks for a cause; what is wrong comes first. */
export function linesOf(moment: Moment): NowLine[] {
  const lines = [
    locksLine(moment),
    ...connectionsLine(moment),
    ...idleLine(moment),
    queryLine(moment),
    activeLine(moment),
    cpuLine(moment),
    lagLine(moment),
    ...slotLine(moment),
  ];
  return [...lines.filter(({ isWrong }) => isWrong), ...lines.filter(({ isWrong }) => !isWrong)];
}
