// Fifty servers in three clusters on which nothing keeps still, for hours on the test's clock: disks that go to and fro
// around their threshold, one incident of a whole cluster, and one server that is dead for hours. What judges and what
// delivers are the program's own; a peer counts what it is sent.

import { createSender } from '../../alerting/channels/sender.ts';
import { Deliveries } from '../../alerting/notification-channels/delivery.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { type HttpPeer, startHttpPeer } from '../channels/http-peer.ts';
import { diceOf } from '../dice.ts';
import { testParts, vaultOf } from '../rooms/parts.ts';
import { type Alerting, alerting } from './alerting.ts';
import { simulatedTime } from './simulated-time.ts';

const SERVERS = 50;
const CLUSTERS = 3;
const MOUNTS = 4;
const GROUP_SECONDS = 30;
/** Of a disk's samples. */
const SAMPLE_MINUTES = 5;
const STEP_MS = 30_000;
const HOUR_STEPS = 3_600_000 / STEP_MS;
/** Steps until a server has its next sample. */
const TURNS = (SAMPLE_MINUTES * 60_000) / STEP_MS;
const INCIDENT = { cluster: 1, from: 2, until: 2.7 };
const DEAD = { server: 7, from: 0.5, until: 1.5 };

export interface NoisyTime {
  alerts: number;
  /** Of servers that cannot be reached. */
  unreachable: number;
  /** Of the dead server, while it was dead. */
  during_outage: number;
  /** Notifications of alerts that fired and cleared; those that wait at the end. */
  told: number;
  waiting: number;
  messages: number;
  /** Within whatever sixty seconds. */
  most_in_a_minute: number;
  /** Alerts that one of them told at most. */
  most_alerts: number;
}

interface Arrived {
  /** Since the beginning. */
  minute: number;
  alerts: number;
}

function summed(
  arrived: readonly Arrived[],
): Pick<NoisyTime, 'messages' | 'most_in_a_minute' | 'most_alerts'> {
  const within = arrived.map(
    ({ minute: from }) => arrived.filter(({ minute }) => minute >= from && minute < from + 1).length,
  );
  return {
    messages: arrived.length,
    most_in_a_minute: within.reduce((most, count) => Math.max(most, count), 0),
    most_alerts: arrived.reduce((most, { alerts }) => Math.max(most, alerts), 0),
  };
}

async function makeEstate({ db, leased }: Alerting, url: string): Promise<number[]> {
  await db.run(sql`/* test.channel */
    insert into matriarch.notification_channels (channel_type, name, is_estate_default, config)
    values ('webhook', 'all', true, jsonb_build_object('endpoint_url', ${`${url}/all`}::text))`);
  const ids: number[] = [];
  while (ids.length < SERVERS) ids.push(await leased());
  await db.run(sql`/* test.clusters */
    insert into matriarch.clusters (name, group_id)
    select 'herd ' || n, g.id from matriarch.cluster_groups g, generate_series(1, ${CLUSTERS}::int) n where g.is_default`);
  await db.run(sql`/* test.members */
    update matriarch.connections c
    set cluster_id = k.id, membership_source = 'manual'
    from (select id, row_number() over (order by id) - 1 as n from matriarch.clusters) k
    where k.n = c.id % ${CLUSTERS}::int`);
  await db.run(
    sql`/* test.leases */ update matriarch.connection_leases set expires_at = now() + interval '3 days'`,
  );
  return ids;
}

const isWithin = (hour: number, { from, until }: { from: number; until: number }) =>
  hour >= from && hour < until;

/** What a disk holds: half of all are above their threshold at every other sample, as dice have it. */
function usedOf(
  { server, mount }: { server: number; mount: number },
  hour: number,
  dice: () => number,
): number {
  if (server % CLUSTERS === INCIDENT.cluster && isWithin(hour, INCIDENT)) return 90;
  const isNoisy = (server + mount) % 2 === 0;
  return isNoisy && dice() < 0.4 ? 85 : 50;
}

const diskOf = (used: number, mount: number) => ({
  mount_point: `/data${mount}`,
  total_space: 100,
  used_space: used,
  free_space: 100 - used,
});

async function reach({ db }: Alerting, id: number, isReached: boolean): Promise<void> {
  await db.run(sql`/* test.reach */
    insert into matriarch.connection_states (
      connection_id, consecutive_failures, connection_error, last_error_at, failing_since
    )
    values (${id}, ${isReached ? 0 : 5}, 'Nothing listens there.', now(), now())
    on conflict (connection_id) do update
    set consecutive_failures = excluded.consecutive_failures, last_error_at = excluded.last_error_at`);
}

/** The samples that come in this step: each server has its own minute. */
async function feed(
  house: Alerting,
  ids: readonly number[],
  at: { step: number; dice(): number },
): Promise<void> {
  const { step, dice } = at;
  const hour = step / HOUR_STEPS;
  const dead = ids[DEAD.server];
  if (dead !== undefined && (hour === DEAD.from || hour === DEAD.until))
    await reach(house, dead, hour === DEAD.until);
  const own = ids.filter((id) => id % TURNS === step % TURNS && !(id === dead && isWithin(hour, DEAD)));
  await Promise.all(
    own.map(async (id) => {
      const rows = Array.from({ length: MOUNTS }, (_, mount) =>
        diskOf(usedOf({ server: id, mount }, hour, dice), mount),
      );
      await house.feed(id, 'pg_sys_disk_info', { rows, ago: 0 });
      if (id === dead) await house.feed(id, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago: 0 });
    }),
  );
}

export interface Delivering {
  peer: HttpPeer;
  deliveries: Deliveries;
  stop(): Promise<void>;
}

export async function delivering({ db }: Alerting, clock: Clock): Promise<Delivering> {
  const peer = await startHttpPeer();
  const vault = await vaultOf(testParts({ db, clock, log: silentLog }));
  const sender = createSender({ allow_private_networks: true });
  const deliveries = new Deliveries(
    {
      db,
      clock,
      log: silentLog,
      vault,
      sender,
      base_url: undefined,
      group_seconds: GROUP_SECONDS,
      random: () => 0.5,
    },
    new AbortController().signal,
  );
  const stop = async () => {
    await Promise.all([sender.stop(), peer.stop()]);
  };
  return { peer, deliveries, stop };
}

const countsOf = ({ db }: Alerting) =>
  db.one<Omit<NoisyTime, keyof ReturnType<typeof summed>>>(sql`/* test.counts */
    select
      (select count(*)::int from matriarch.alerts) as alerts,
      (select count(*)::int from matriarch.alerts where raised_by = 'connection') as unreachable,
      (select count(*)::int from matriarch.notifications where state = 'sent') as told,
      (select count(*)::int from matriarch.notifications where state <> 'sent') as waiting,
      (select count(*)::int from matriarch.alerts a, matriarch.alerts d
        where d.raised_by = 'connection' and a.connection_id = d.connection_id and a.id <> d.id
          and a.triggered_at > d.triggered_at and a.triggered_at < d.cleared_at) as during_outage`);

/** What it takes, and what it sends, in so many hours. */
export async function noisyEstate(hours: number): Promise<NoisyTime> {
  const dice = diceOf(20_261_122);
  const start = Math.floor(systemClock.now() / 60_000) * 60_000 - 25 * 3_600_000;
  const time = await simulatedTime(start);
  const house = await alerting({ database: time.database, clock: time.clock });
  const { peer, deliveries, stop } = await delivering(house, time.clock);
  try {
    const ids = await makeEstate(house, peer.url);
    const arrived: Arrived[] = [];
    for (let step = 0; step < hours * HOUR_STEPS; step += 1) {
      await feed(house, ids, { step, dice });
      await house.round();
      await deliveries.round();
      await deliveries.settled();
      for (const { json } of peer.requests.splice(0))
        arrived.push({ minute: (step * STEP_MS) / 60_000, alerts: Object(json()).alerts.length });
      await time.advance(STEP_MS);
    }
    return { ...(await countsOf(house)), ...summed(arrived) };
  } finally {
    await stop();
    await house.close();
  }
}
