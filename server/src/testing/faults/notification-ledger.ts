// The ledger of notifications: what the datastore says had to be told, against what peers took. A peer has taken a
// message when it gave a good status, whether or not anybody lived to read it.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { HttpPeer, PeerRequest } from '../channels/http-peer.ts';

/** One alert in one message that a peer took. */
export interface Taken {
  path: string;
  key: string;
  kind: string;
  alert_id: number;
  at: number;
}

export interface LedgerVerdict {
  /** Of all channels: what had to be told, by alert, kind and channel. */
  owed: number;
  /** What was never taken, was never owed, or was told anew under another key. */
  lost: string[];
  invented: string[];
  retold: string[];
  /** Alerts of which a channel heard that they fired after it had heard that they cleared. */
  out_of_order: string[];
  /** Messages that arrived again under the same key. */
  duplicates: number;
}

const isGood = ({ answered }: PeerRequest) =>
  typeof answered === 'object' && answered.status >= 200 && answered.status < 300;

export const takenBy = (peer: HttpPeer): Taken[] =>
  peer.requests.filter(isGood).flatMap(({ url, headers, at, ...request }) => {
    const { notification_type, alerts = [] } = Object(request.json());
    const [path, key, kind] = [url.slice(1), headers['idempotency-key'] ?? '', notification_type];
    return alerts.map(({ alert_id }: { alert_id: number }) => ({ path, key, kind, alert_id, at }));
  });

/** What had to be told to each channel: that an alert fired, and that it cleared. */
async function owedIn(db: Db, paths: readonly string[]): Promise<string[]> {
  const events = await db.rows<{ alert_id: number; kind: string }>(sql`/* test.owed */
    select alert_id, case event_type when 'fired' then 'alert_fire' else 'alert_clear' end as kind
    from matriarch.alert_events
    where event_type in ('fired', 'cleared')
    order by alert_id, id`);
  return paths.flatMap((path) => events.map(({ alert_id, kind }) => `${path} ${alert_id} ${kind}`));
}

const nameOf = ({ path, alert_id, kind }: Taken) => `${path} ${alert_id} ${kind}`;

function disordered(taken: readonly Taken[]): string[] {
  const cleared = new Set<string>();
  return taken.flatMap((one) => {
    const of = `${one.path} ${one.alert_id}`;
    if (one.kind === 'alert_clear') cleared.add(of);
    return one.kind === 'alert_fire' && cleared.has(of) ? [of] : [];
  });
}

export async function verdictOf(db: Db, peer: HttpPeer, paths: readonly string[]): Promise<LedgerVerdict> {
  const taken = takenBy(peer);
  const owed = await owedIn(db, paths);
  const keys = new Map<string, Set<string>>();
  for (const one of taken) keys.set(nameOf(one), (keys.get(nameOf(one)) ?? new Set()).add(one.key));
  const messages = new Set(taken.map(({ path, key, at }) => `${path} ${key} ${at}`));
  const told = new Set(taken.map(({ path, key }) => `${path} ${key}`));
  const known = new Set(owed);
  return {
    owed: owed.length,
    lost: owed.filter((one) => !keys.has(one)),
    invented: [...keys.keys()].filter((one) => !known.has(one)),
    retold: [...keys].filter(([, under]) => under.size > 1).map(([one]) => one),
    out_of_order: disordered(taken),
    duplicates: messages.size - told.size,
  };
}
