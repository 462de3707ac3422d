// Alerts, channels and processes that deliver, for tests of the outbox: a clock that the test moves, a peer that notes
// what arrives, and a ledger of what should.

import { queueNotifications, type Transition } from '../../alerting/alerts/outbox.service.ts';
import { type AlertFacts, SAMPLE_ALERT } from '../../alerting/channels/alert-facts.ts';
import { createSender } from '../../alerting/channels/sender.ts';
import { Deliveries, type DeliveryOptions } from '../../alerting/notification-channels/delivery.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken } from '../access/actors.ts';
import { startTestApi, type TestApi } from '../api.ts';
import { manualClock } from '../manual-clock.ts';
import { channelsOf, channelsRoom } from '../rooms/channels.ts';
import type { TestRoom } from '../rooms/parts.ts';
import { type HttpPeer, startHttpPeer } from './http-peer.ts';

export interface Arrival {
  path: string;
  key: string;
  kind: string;
  alert_ids: number[];
}

export interface OutboxScene {
  api: TestApi;
  peer: HttpPeer;
  clock: ReturnType<typeof manualClock>;
  token: string;
  /** A webhook of that name, which is its path on the peer; told of everything unless `more` says otherwise. */
  channel(name: string, more?: object): Promise<number>;
  /** A server in a cluster of its own. */
  server(): Promise<{ target: number }>;
  /** An alert as it is stored. */
  alert(connectionId: number, more?: Partial<AlertFacts>): Promise<AlertFacts>;
  queue(transitions: readonly Transition[], group_seconds?: number): Promise<void>;
  fire(alert: AlertFacts, sequence?: number): Transition;
  clear(alert: AlertFacts): Transition;
  /** One process that delivers. */
  process(more?: Partial<DeliveryOptions>, signal?: AbortSignal): Deliveries;
  /** Until nothing is due any more. */
  run(deliveries?: Deliveries): Promise<void>;
  arrived(): Arrival[];
  states(): Promise<Record<string, number>>;
  /** Forgets alerts, channels and what arrived. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

async function storeAlert(db: Db, facts: Omit<AlertFacts, 'alert_id'>): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* test.alert */
    insert into matriarch.alerts (
      alert_type, raised_by, connection_id, object_name, severity, title, description, status, triggered_at, last_updated
    )
    values (
      ${facts.alert_type}, 'rule:test', ${facts.connection_id}, gen_random_uuid()::text, ${facts.severity},
      ${facts.title}, ${facts.description}, 'active', ${facts.triggered_at}::timestamptz, now()
    )
    returning id`);
  return id;
}

type Base = Pick<OutboxScene, 'api' | 'peer' | 'clock' | 'token'>;

function writing({ api, peer, clock, token }: Base) {
  return {
    async channel(name: string, more: object = {}) {
      const body = {
        channel_type: 'webhook',
        name,
        endpoint_url: `${peer.url}/${name}`,
        is_estate_default: true,
      };
      const request = 'POST /api/v1/notification-channels';
      const answer = await api.call(request, { token, body: { ...body, ...more } });
      if (answer.status !== 201) throw new Error(answer.text);
      return Object(answer.body).id;
    },
    async server() {
      const target = await makeConnection(api.db, { owner_id: api.actors.owner.user_id });
      await api.db.run(sql`/* test.cluster */
        with herd as (
          insert into matriarch.clusters (name, group_id)
          select 'herd ' || gen_random_uuid(), g.id from matriarch.cluster_groups g where g.is_default
          returning id
        )
        update matriarch.connections c set cluster_id = herd.id, membership_source = 'manual'
        from herd where c.id = ${target}`);
      return { target };
    },
    async alert(connection_id: number, more: Partial<AlertFacts> = {}) {
      const triggered_at = new Date(clock.now()).toISOString();
      const facts = { ...SAMPLE_ALERT, connection_id, triggered_at, ...more };
      return { ...facts, alert_id: await storeAlert(api.db, facts) };
    },
    queue: (transitions: readonly Transition[], group_seconds = 0) =>
      queueNotifications({ db: api.db, clock }, transitions, { group_seconds }),
    fire: (facts: AlertFacts, sequence = 1): Transition => ({
      alert_id: facts.alert_id,
      kind: 'fire',
      sequence,
      facts,
    }),
    clear: (facts: AlertFacts): Transition => ({
      alert_id: facts.alert_id,
      kind: 'clear',
      sequence: 1,
      facts: { ...facts, status: 'cleared', cleared_at: new Date(clock.now()).toISOString() },
    }),
  };
}

function reading({ api, peer }: Base) {
  return {
    arrived: () =>
      peer.requests.map(({ url, headers, body }) => {
        const { notification_type, alerts = [] } = Object(JSON.parse(body));
        return {
          path: url.slice(1),
          key: headers['idempotency-key'] ?? '',
          kind: notification_type,
          alert_ids: alerts.map(({ alert_id }: { alert_id: number }) => alert_id),
        };
      }),
    async states() {
      const rows = await api.db.rows<{ state: string; count: number }>(sql`/* test.states */
        select state, count(*)::int as count from matriarch.notifications group by state order by state`);
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    },
    async reset() {
      await api.db.run(sql`/* test.forget_channels */ delete from matriarch.notification_channels`);
      await api.db.run(sql`/* test.forget_alerts */ delete from matriarch.alerts`);
      await api.db.run(sql`/* test.forget_blackouts */ delete from matriarch.blackouts`);
      peer.requests.length = 0;
      peer.answers.clear();
      peer.answer = { status: 200 };
    },
  };
}

/** With an API of channels, and of further rooms where they are named. */
export async function outboxScene(...rooms: TestRoom[]): Promise<OutboxScene> {
  const clock = manualClock(systemClock.now());
  const [api, peer] = await Promise.all([
    startTestApi({ clock, rooms: [channelsRoom, ...rooms] }),
    startHttpPeer(),
  ]);
  // A session would be over when the clock moves.
  const token = await makeToken(api.db, api.actors.superuser.user_id);
  // Long enough for a busy machine to answer in; peers that hang are few.
  const sender = createSender({ allow_private_networks: true, timeout_ms: 3000 });
  const { vault } = await channelsOf(api.parts);
  const base = { api, peer, clock, token };
  const usual = { db: api.db, clock, log: silentLog, vault, sender, base_url: undefined };
  const process: OutboxScene['process'] = (more = {}, signal = new AbortController().signal) =>
    new Deliveries({ ...usual, group_seconds: 0, random: () => 0, ...more }, signal);
  return {
    ...base,
    ...writing(base),
    ...reading(base),
    process,
    async run(deliveries = process()) {
      for (let started = 1; started > 0; ) {
        started = await deliveries.round();
        await deliveries.settled();
      }
    },
    async stop() {
      await sender.stop();
      await Promise.all([api.close(), peer.stop()]);
    },
  };
}
