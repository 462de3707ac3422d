// Whether what one probe read on one server is of now, and if not, why not and since when. Pure. Guards: a figure that
// is older than the gap rule allows, or of a server that does not answer any more, is not shown as that of now.
import { isCurrent } from '../../store/layout/intervals.ts';

/** What became of a probe on a server. */
export interface ReadState {
  /** When it read last. */
  collected_at: string | null;
  outcome: 'ran' | 'skipped' | 'failed' | null;
  reason: string | null;
  mend: string | null;
  /** The interval in force there; longer where the collector slowed the probe down. */
  interval_seconds: number;
}

/** The server itself. */
export interface ServerReach {
  name: string;
  is_monitored: boolean;
  connection_error: string | null;
  failing_since: string | null;
}

export interface Unknown {
  reason: string;
  /** Since when it is not known; null: it never was. */
  since: string | null;
  mend: string | null;
}

/** Undefined while nothing keeps the server from being read. */
function unreachable(server: ServerReach): Unknown | undefined {
  const { name, is_monitored, connection_error, failing_since } = server;
  if (!is_monitored) return { reason: `${name} is not monitored.`, since: null, mend: null };
  if (connection_error === null) return undefined;
  return { reason: `${name} cannot be read: ${connection_error}`, since: failing_since, mend: null };
}

/** Why what the probe read last is not of now; undefined: it is. `what` names it in a sentence. */
export function whyNotCurrent(
  server: ServerReach,
  read: ReadState | undefined,
  { what, now }: { what: string; now: number },
): Unknown | undefined {
  const away = unreachable(server);
  if (away) return { ...away, since: away.since ?? read?.collected_at ?? null };
  const {
    collected_at = null,
    outcome = null,
    reason = null,
    mend = null,
    interval_seconds = 0,
  } = read ?? {};
  if (collected_at !== null && isCurrent(Date.parse(collected_at), now, interval_seconds)) return undefined;
  if (outcome === 'failed' || outcome === 'skipped')
    return { reason: `${server.name}: ${reason ?? 'it could not be read.'}`, since: collected_at, mend };
  if (collected_at === null)
    return { reason: `${what} of ${server.name} was not read yet.`, since: null, mend: null };
  return {
    reason: `${what} of ${server.name} was not read again, though it is due every ${interval_seconds} s.`,
    since: collected_at,
    mend: null,
  };
}
