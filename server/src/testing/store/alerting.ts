// Rounds of the alerter over a store that the test feeds, one at a time.

import { syncAlertRules } from '../../alerting/alert-rules/alert-rules.service.ts';
import { ALERTER_JOB } from '../../alerting/alerter/alerter.ts';
import { evaluate, PROBES, type RoundReport } from '../../alerting/alerter/evaluate.ts';
import { Memory } from '../../alerting/alerter/memory.ts';
import type { Blackouts } from '../../alerting/alerter/open-alerts.ts';
import { type RecentRun, recentRunsOf } from '../../alerting/alerter/runs.queries.ts';
import { syncProbeConfigs } from '../../estate/probe-configs/effective.service.ts';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { claimJob } from '../../kernel/jobs.queries.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { probes } from '../../probes/catalog.gen.ts';
import type { Probe } from '../../probes/types.ts';
import { ensureTables } from '../../store/layout/tables.ts';
import type { Row } from '../../store/layout/types.ts';
import type { TestDatabase } from '../servers/database.ts';
import { type Storing, storing } from './storing.ts';

export interface StoredAlert {
  id: number;
  raised_by: string;
  connection_id: number;
  database_name: string;
  object_name: string;
  status: string;
  severity: string;
  metric_value: number | null;
  threshold_value: number | null;
  title: string;
  description: string;
  cause_id: number | null;
}

export interface Alerting extends Storing {
  /** A run of a probe that found these rows, so many seconds ago; in the future when that is negative. */
  feed(connection_id: number, probe: string, sample: Sample): Promise<void>;
  /** The same of many, which are stored at once. */
  feedAll(connection_id: number, runs: readonly (readonly [probe: string, sample: Sample])[]): Promise<void>;
  round(more?: { blackouts?: Blackouts; db?: Db; now?: number }): Promise<RoundReport>;
  /** A process that remembers nothing takes over. */
  forget(): void;
  /** All alerts, in the order in which they fired. */
  alerts(): Promise<StoredAlert[]>;
  /** A channel that every server notifies. */
  channel(): Promise<void>;
  /** Alerts of which a channel was to be told that they fire, by their ids. */
  notified(): Promise<number[]>;
  /** What happened, by the alert's id. */
  events(): Promise<{ alert_id: number; event_type: string }[]>;
}

/** Taken `ago` seconds before now, or `at` a moment in milliseconds since the epoch, which no pause of the machine moves. */
export type Sample = { rows: Row[]; database_name?: string } & (
  | { ago: number; at?: never }
  | { at: number; ago?: never }
);

/** As the product is set: alerts of one cluster wait for each other. */
const GROUP_SECONDS = 30;
const NONE: Blackouts = { covers: () => undefined };
const declared = new Map<string, Probe>(probes.map((probe) => [probe.name, probe]));

export interface AlertingChoice {
  /** With the tables of every probe; only of those that are fed when absent. */
  hasTables?: boolean;
  /** In place of a fresh one; closed with it. */
  database?: TestDatabase;
  /** The machine's when absent. */
  clock?: Clock;
}

export async function alerting(choice: AlertingChoice = {}): Promise<Alerting> {
  const { hasTables = false, database, clock = systemClock } = choice;
  const store = await storing(database);
  const { db } = store;
  await syncProbeConfigs(db, probes);
  await syncAlertRules(db);
  if (hasTables) await ensureTables(db, probes);
  const claim = { name: ALERTER_JOB, owner: 'test', every_seconds: 0, lease_seconds: 3600 };
  const { epoch } = await db.one<{ epoch: number }>(claimJob(claim));
  // One for all runs, as a collector has it: what grows is told by two of them.
  const writer = store.writer({ clock, ...(hasTables && { probes }) });
  let memory = new Memory();
  const principal = systemPrincipal('server');
  const add = (connection_id: number, probe: string, { rows, database_name = '', ...taken }: Sample) => {
    const at = taken.at ?? clock.now() - taken.ago * 1000;
    const { keeps, columns = [] } = declared.get(probe) ?? {};
    const keys = columns.filter(({ kind }) => kind === 'key').map(({ name }) => name);
    const history_by = keeps === 'change-tracked' ? keys : undefined;
    const outcome = { kind: 'ran', collected_at: at, rows, history_by } as const;
    writer.add({ connection_id, epoch: 1, probe, database_name, attempted_at: at, took_ms: 1, outcome });
  };
  return {
    ...store,
    async close() {
      await writer.stop();
      await store.close();
    },
    async feed(connection_id, probe, sample) {
      add(connection_id, probe, sample);
      await writer.flush();
    },
    async feedAll(connection_id, runs) {
      for (const [probe, sample] of runs) add(connection_id, probe, sample);
      await writer.flush();
    },
    async round({ blackouts = NONE, db: by = db, now = clock.now() } = {}) {
      const runs = await by.rows<RecentRun>(recentRunsOf({ probes: PROBES, from: memory.lookFrom(now) }));
      const lease = { name: ALERTER_JOB, epoch };
      const ctx = { db: by, log: silentLog, clock, signal: new AbortController().signal, principal };
      return evaluate(ctx, { memory, lease, blackouts, group_seconds: GROUP_SECONDS, now, runs });
    },
    forget() {
      memory = new Memory();
    },
    alerts: () =>
      db.rows<StoredAlert>(sql`/* test.alerts */
        select id, raised_by, connection_id, database_name, object_name, status, severity, metric_value,
          threshold_value, title, description, cause_id
        from matriarch.alerts
        order by id`),
    async channel() {
      await db.run(sql`/* test.channel */
        insert into matriarch.notification_channels (channel_type, name, is_estate_default, config)
        values ('webhook', 'any', true, '{"endpoint_url": "https://hooks.example.com/any"}')`);
    },
    async notified() {
      const rows = await db.rows<{ alert_id: number }>(sql`/* test.notified */
        select alert_id from matriarch.notifications where kind = 'fire' order by id`);
      return rows.map(({ alert_id }) => alert_id);
    },
    events: () =>
      db.rows(sql`/* test.events */ select alert_id, event_type from matriarch.alert_events order by id`),
  };
}
