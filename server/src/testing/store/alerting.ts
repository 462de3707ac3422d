// Rounds of the alerter over a store that the test feeds, one at a time.
import { ALERTER_JOB } from '../../alerter/alerter.ts';
import { evaluate, type RoundReport } from '../../alerter/evaluate.ts';
import { Memory } from '../../alerter/memory.ts';
import type { Blackouts } from '../../alerter/standing.ts';
import { syncAlertRules } from '../../areas/alert-rules/alert-rules.service.ts';
import type { OnWritten } from '../../areas/alerts/changes.service.ts';
import { systemActor } from '../../areas/audit/audit.service.ts';
import { syncProbeConfigs } from '../../areas/probe-configs/effective.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { claimJob } from '../../kernel/jobs.queries.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { probes } from '../../probes/catalog.gen.ts';
import type { Row } from '../../store/layout/types.ts';
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
  /** A run of a probe that found these rows, so many seconds ago. */
  feed(connection_id: number, probe: string, sample: Sample): Promise<void>;
  round(more?: { blackouts?: Blackouts; onWritten?: OnWritten; db?: Db }): Promise<RoundReport>;
  /** A process that remembers nothing takes over. */
  forget(): void;
  /** All alerts, in the order in which they fired. */
  alerts(): Promise<StoredAlert[]>;
  /** What happened, by the alert's id. */
  events(): Promise<{ alert_id: number; event_type: string }[]>;
}

export interface Sample {
  rows: Row[];
  ago: number;
  database_name?: string;
}

export async function alerting(): Promise<Alerting> {
  const store = await storing();
  const { db } = store;
  await syncProbeConfigs(db, probes);
  await syncAlertRules(db);
  const claim = { name: ALERTER_JOB, owner: 'test', every_seconds: 0, lease_seconds: 3600 };
  const { epoch } = await db.one<{ epoch: number }>(claimJob(claim));
  let memory = new Memory();
  return {
    ...store,
    async feed(connection_id, probe, { rows, ago, database_name = '' }) {
      const at = Date.now() - ago * 1000;
      const outcome = { kind: 'ran', collected_at: at, rows, history_by: undefined } as const;
      await store.write({
        connection_id,
        epoch: 1,
        probe,
        database_name,
        attempted_at: at,
        took_ms: 1,
        outcome,
      });
    },
    round: ({
      blackouts = { covers: () => undefined },
      onWritten = async () => undefined,
      db: by = db,
    } = {}) =>
      evaluate(
        {
          db: by,
          log: silentLog,
          clock: systemClock,
          signal: new AbortController().signal,
          principal: {
            ...systemActor('server'),
            is_superuser: true,
            admin_permissions: ['*'],
            scope: undefined,
          },
        },
        { memory, lease: { name: ALERTER_JOB, epoch }, blackouts, onWritten },
      ),
    forget() {
      memory = new Memory();
    },
    alerts: () =>
      db.rows<StoredAlert>(sql`/* test.alerts */
        select id, raised_by, connection_id, database_name, object_name, status, severity, metric_value,
          threshold_value, title, description, cause_id
        from matriarch.alerts
        order by id`),
    events: () =>
      db.rows(sql`/* test.events */ select alert_id, event_type from matriarch.alert_events order by id`),
  };
}
