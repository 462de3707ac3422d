// Open alerts as incidents, for those who read them. Guards: an incident is named by its cause, which is the alert that is sent; what
// the caller cannot see is neither counted nor named.
import type { Ctx } from '../../identity/identity.ts';
import type { Static } from '../../kernel/schema.ts';
import { knownRules } from '../alert-rules/known-rules.service.ts';
import { connectionsOf, shownAlert } from './alerts.service.ts';
import type { AlertType, Severity } from './alerts.types.ts';
import { partWords, placeWords, whatWords } from './incident-words.ts';
import * as queries from './incidents.queries.ts';
import { type AlertIncident, type AlertIncidentList, MOST_ALERTS } from './incidents.schemas.ts';

const BY_RANK = ['critical', 'critical', 'warning', 'info'] as const;
const MOST_PEOPLE = 5;

export interface IncidentQuery {
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
  status?: 'active' | 'acknowledged' | undefined;
  severity?: Severity | undefined;
  alert_type?: AlertType | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

const EFFECTS: readonly queries.Effect[] = [...knownRules.values()].flatMap(({ rule }) => {
  const of = (names: readonly string[] | undefined, is_of_server: boolean): queries.Effect[] =>
    (names ?? []).map((name) => ({ raised_by: `rule:${rule.name}`, cause: `rule:${name}`, is_of_server }));
  return [...of(rule.followsFrom, false), ...of(rule.followsFromServer, true)];
});

const ruleTitle = (raised_by: string) => knownRules.get(raised_by.slice('rule:'.length))?.rule.title;

function shownIncident(
  row: queries.IncidentRow,
  alerts: readonly queries.IncidentAlert[],
): Static<typeof AlertIncident>[] {
  const [lead] = alerts;
  // Its last alert cleared between the two statements.
  if (lead === undefined) return [];
  const { parts, severity_rank, acknowledged_by, server_count, active_count } = row;
  const what = whatWords(parts.map((part) => partWords(part, ruleTitle(part.raised_by))));
  const { server_name, cluster_name, cluster_id, is_own } = lead;
  const place = placeWords({ server_name, cluster_name, server_count, is_own });
  return [
    {
      ...{ incident_key: row.incident_key, title: `${place}: ${what}`, place, what },
      detail: alerts.find(({ detail }) => detail !== null)?.detail ?? null,
      ...{ severity: BY_RANK[severity_rank] ?? 'info', status: active_count > 0 ? 'active' : 'acknowledged' },
      ...{ triggered_at: row.triggered_at, cluster_id: server_count > 1 ? cluster_id : null },
      ...{ server_count, alert_count: row.alert_count, active_count },
      ...{ acknowledged_by: acknowledged_by.slice(0, MOST_PEOPLE), may_acknowledge: row.may_acknowledge },
      alerts: alerts.map(
        ({ incident_key: _key, cluster_id: _id, cluster_name: _name, detail: _detail, ...alert }) =>
          shownAlert(alert),
      ),
    },
  ];
}

/** Three statements, whatever the number of alerts. */
export async function listAlertIncidents(
  ctx: Ctx,
  query: IncidentQuery,
): Promise<Static<typeof AlertIncidentList>> {
  const { limit = 100, offset = 0, status, severity, alert_type } = query;
  const filter = { connection_ids: connectionsOf(query), status, severity, alert_type };
  const asked = { effects: EFFECTS, principal: ctx.principal, filter };
  const rows = await queries.listRows(ctx.db, asked, { limit, offset });
  const keys = rows.map(({ incident_key }) => incident_key);
  const [sums, alerts] = await Promise.all([
    queries.sumRows(ctx.db, asked),
    queries.listAlertsOf(ctx.db, asked, { keys, most: MOST_ALERTS }),
  ]);
  const byKey = Map.groupBy(alerts, ({ incident_key }) => incident_key);
  return {
    incidents: rows.flatMap((row) => shownIncident(row, byKey.get(row.incident_key) ?? [])),
    ...sums,
  };
}
