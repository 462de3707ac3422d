// The load of a server over a window: average active sessions, split by what they waited for or who they were. Guards: a
// gap is null; where only the total is known, the answer says why; nothing is asked of the server.
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { isTimeInRange } from '../../kernel/times.ts';
import {
  activeSessions,
  type LoadMember,
  type LoadPart,
  type LoadValues,
  type LoadWindow,
} from '../../store/read/active-sessions.ts';
import type { Ctx } from '../access/principal.ts';
import { comparedFrom, windowOf } from '../metrics/metrics.service.ts';
import type * as contract from './load.contract.ts';

type Query = Input<typeof contract.getConnectionLoad>['query'];
type Answer = Output<typeof contract.getConnectionLoad>;

const BUCKETS = 60;
const NARROWEST_MS = 1000;
const LONGEST_SPLIT_MS = 24 * 3_600_000;
const TIERS = { samples: 'samples', m1: '1m', m15: '15m', h1: '1h' } as const;

const iso = (ms: number) => new Date(Math.round(ms)).toISOString();

const readOf = ({ tier, seconds, from, to }: LoadPart) => ({
  tier: TIERS[tier],
  resolution_seconds: seconds,
  start_time: iso(from),
  end_time: iso(to),
});

const toldOf = ({ from, to, coverage, parts }: LoadWindow) => ({
  start_time: iso(from),
  end_time: iso(to),
  coverage,
  read: parts.map(readOf),
});

const seriesOf = ([own, compared]: readonly LoadValues[]) => ({
  mean: own?.mean ?? null,
  values: own?.values ?? [],
  ...(compared && { compared_mean: compared.mean, compared: compared.values }),
});

const memberOf = ({ name, database_name, query_text, is_rest, windows }: LoadMember, query: Query) => ({
  name,
  is_rest,
  ...(query.split_by === 'statement' && !is_rest && { database: database_name, query_text }),
  ...seriesOf(windows),
});

/** Rollups know the class of wait alone. */
const UNKNOWN =
  'Of the time of which only rollups are kept, the class of wait is known and nothing else. Samples are kept for a week unless they are set to be kept for longer.';

export async function getConnectionLoad(
  { db, clock }: Ctx,
  connection_id: number,
  query: Query,
): Promise<Answer> {
  const { split_by = 'wait_class', compare } = query;
  const window = windowOf(query, { now: clock.now(), fallback: '1h' });
  const { from, to } = window;
  if (split_by !== 'wait_class' && to - from > LONGEST_SPLIT_MS)
    throw new Fault(
      'bad_request',
      'Only split_by=wait_class is told over more than 24 hours. Ask for a shorter window, or leave split_by out.',
    );
  const compare_from = compare && comparedFrom(window, compare);
  if (compare_from !== undefined && !isTimeInRange(compare_from))
    throw new Fault('bad_request', 'The window to compare with begins before the year 1.');
  const buckets = Math.max(1, Math.min(query.buckets ?? BUCKETS, Math.floor((to - from) / NARROWEST_MS)));
  const found = await activeSessions(db, {
    connection_id,
    split: split_by,
    from,
    to,
    buckets,
    ...(compare_from !== undefined && { compare_from }),
  });
  const [own, compared] = found.windows;
  if (!own) throw new Error('a window was asked for');
  const isShort = found.windows.some((one) => one.members_coverage < one.coverage - 1e-9);
  return {
    connection_id,
    split_by,
    bucket_seconds: (to - from) / buckets / 1000,
    ...toldOf(own),
    processors: found.processors,
    total: seriesOf(found.windows.map(({ total }) => total)),
    members: found.members.map((member) => memberOf(member, query)),
    members_reason: isShort ? UNKNOWN : null,
    ...(compared && { compared: toldOf(compared) }),
  };
}
