// The figures of this product at /metrics: those of this process, and those that the datastore knows of all processes. Guards: a datastore
// that is away costs only what it alone knows; however often they are asked for, it is asked once in five seconds.
import { createHash, timingSafeEqual } from 'node:crypto';
import { lateReadings } from '../../history/history.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { exposition, OPENMETRICS_TYPE, TEXT_TYPE, wantsOpenMetrics } from '../../kernel/exposition.ts';
import { type Figure, type Figures, gauge } from '../../kernel/figures.ts';
import type { Secret } from '../../kernel/secret.ts';
import { type OwnState, type PartState, readOwnState, readPartStates } from './own-figures.queries.ts';

const KEPT_MS = 5000;
const PATIENCE_MS = 2000;

export interface OwnFiguresOptions {
  db: Db;
  clock: Clock;
  figures: Figures;
  /** What has to be sent; anyone may ask without it. */
  token: Secret | undefined;
}

export interface FiguresRequest {
  accept: string | undefined;
  authorization: string | undefined;
}

export type OwnFigures = (request: FiguresRequest) => Promise<{ type: string; text: string }>;

const hashOf = (text: string) => createHash('sha256').update(text).digest();

function demandToken(token: Secret | undefined, authorization: string | undefined): void {
  if (token === undefined) return;
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  if (!timingSafeEqual(hashOf(given), hashOf(token.reveal())))
    throw new Fault('unauthenticated', 'Send the token of the setting metrics.token as a bearer token.');
}

function stateFigures(state: OwnState): Figure[] {
  const { sessions, most_sessions, waiting, oldest_waiting_seconds, dead, connection_ids } = state;
  const { collectors, collectors_without_spool } = state;
  return [
    gauge(
      'matriarch_datastore_sessions',
      'Sessions of all processes of Matriarch on the datastore.',
      sessions,
    ),
    gauge('matriarch_datastore_max_sessions', 'Setting max_connections of the datastore.', most_sessions),
    gauge('matriarch_deliveries_waiting', 'Notifications that wait to be delivered.', waiting),
    gauge(
      'matriarch_deliveries_oldest_age_seconds',
      'Age of the oldest waiting notification; absent while none waits.',
      oldest_waiting_seconds,
    ),
    gauge('matriarch_deliveries_dead', 'Notifications that were given up and are still kept.', dead),
    gauge('matriarch_collectors', 'Collectors that are alive.', collectors),
    gauge('matriarch_collectors_without_spool', 'Those of them without a spool.', collectors_without_spool),
    gauge('matriarch_servers', 'Monitored servers.', connection_ids.length),
  ];
}

const partFigures = (states: readonly PartState[]): Figure[] => [
  {
    ...{ name: 'matriarch_part_last_good_age_seconds', type: 'gauge' },
    help: 'Since background work succeeded last, in any process; it is noted every 30 seconds.',
    values: states.map(({ part, good_age_seconds }) => ({ labels: { part }, value: good_age_seconds })),
  },
  {
    ...{ name: 'matriarch_part_failing_seconds', type: 'gauge' },
    help: 'Since when background work has failed in a process; 0 while it works.',
    values: states.map(({ part, failing_seconds }) => ({ labels: { part }, value: failing_seconds ?? 0 })),
  },
];

async function ofDatastore({ db, clock }: OwnFiguresOptions): Promise<Figure[]> {
  const asked = clock.monotonic();
  const state = await readOwnState(db);
  const half = (clock.monotonic() - asked) / 2;
  const offset = (state.now_ms + half - clock.now()) / 1000;
  const { connection_ids } = state;
  const [parts, readings] = await Promise.all([
    readPartStates(db),
    lateReadings(db, { connection_ids, now: state.now_ms }),
  ]);
  return [
    ...stateFigures(state),
    ...partFigures(parts),
    gauge('matriarch_datastore_clock_offset_seconds', 'Datastore clock minus that of this machine.', offset),
    gauge('matriarch_readings', 'Readings that are due, one for each probe and database.', readings.known),
    gauge('matriarch_readings_late', 'Those older than two and a half of their intervals.', readings.late),
  ];
}

const isUp = (value: 0 | 1) =>
  gauge('matriarch_datastore_up', '1 while the datastore answers, else 0.', value);

async function inTime(reading: Promise<readonly Figure[]>): Promise<readonly Figure[]> {
  const patience = new AbortController();
  const late = sleep(PATIENCE_MS, patience.signal).then(() => undefined);
  try {
    const found = await Promise.race([reading, late]);
    return found === undefined ? [isUp(0)] : [isUp(1), ...found];
  } catch {
    return [isUp(0)];
  } finally {
    patience.abort();
  }
}

export function createOwnFigures(options: OwnFiguresOptions): OwnFigures {
  let kept: { at: number; reading: Promise<readonly Figure[]> } | undefined;
  const reading = () => {
    const at = options.clock.monotonic();
    if (kept === undefined || at - kept.at > KEPT_MS) {
      kept = { at, reading: ofDatastore(options) };
      // Whoever waits for it says so.
      kept.reading.catch(() => undefined);
    }
    return kept.reading;
  };
  return async ({ accept, authorization }) => {
    demandToken(options.token, authorization);
    const all = [...options.figures.read(), ...(await inTime(reading()))];
    const isOpen = wantsOpenMetrics(accept);
    return { type: isOpen ? OPENMETRICS_TYPE : TEXT_TYPE, text: exposition(all, isOpen) };
  };
}
