// The load of a server over a window: average active sessions, split by what they waited for or who they were. Guards: a
// gap is null; where members are not known, or only the largest are, the answer says so; nothing is asked of the server.

import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { isoRounded, isTimeInRange } from '../../kernel/times.ts';
import { MEMBERS_KEPT } from '../../store/read/doors/readings.ts';
import { comparedFrom, windowOf } from '../metrics/metrics.service.ts';
import { activeSessions, type LoadMember, type LoadValues, type LoadWindow } from './active-sessions.ts';
import type * as contract from './load.contract.ts';
import type { LoadPart } from './load-spans.ts';

type Query = Input<typeof contract.getConnectionLoad>['query'];
type Answer = Output<typeof contract.getConnectionLoad>;

const BUCKETS = 60;
const NARROWEST_MS = 1000;
const TIERS = { samples: 'samples', m1: '1m', m15: '15m', h1: '1h' } as const;

type Split = NonNullable<Query['split_by']>;

const readOf = ({ tier, seconds, from, to }: LoadPart, split: Split) => ({
  tier: TIERS[tier],
  resolution_seconds: seconds,
  members_per_span: tier === 'samples' || split === 'wait_class' ? null : MEMBERS_KEPT,
  start_time: isoRounded(from),
  end_time: isoRounded(to),
});

const toldOf = ({ from, to, coverage, parts }: LoadWindow, split: Split) => ({
  start_time: isoRounded(from),
  end_time: isoRounded(to),
  coverage,
  read: parts.map((part) => readOf(part, split)),
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

const UNKNOWN = `Of a part of this time only the class of wait is known: its samples are kept no longer, and an older version made its rollups.`;
const CUT = `Rollups tell only the ${MEMBERS_KEPT} largest of each of their spans apart. All others are counted in the rest of that span, so members may have done more than shown, and the rest less.`;

function reasonOf(split: Split, windows: readonly LoadWindow[]): string | null {
  if (split === 'wait_class') return null;
  const isShort = windows.some((one) => one.members_coverage < one.coverage - 1e-9);
  const reasons = [...(isShort ? [UNKNOWN] : []), ...(windows.some(({ is_cut }) => is_cut) ? [CUT] : [])];
  return reasons.length === 0 ? null : reasons.join(' ');
}

export async function getConnectionLoad(
  { db, clock }: Ctx,
  connection_id: number,
  query: Query,
): Promise<Answer> {
  const { split_by = 'wait_class', compare } = query;
  const window = windowOf(query, { now: clock.now(), fallback: '1h' });
  const { from, to } = window;
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
  return {
    connection_id,
    split_by,
    bucket_seconds: (to - from) / buckets / 1000,
    ...toldOf(own, split_by),
    processors: found.processors,
    total: seriesOf(found.windows.map(({ total }) => total)),
    members: found.members.map((member) => memberOf(member, query)),
    members_reason: reasonOf(split_by, found.windows),
    ...(compared && { compared: toldOf(compared, split_by) }),
  };
}
