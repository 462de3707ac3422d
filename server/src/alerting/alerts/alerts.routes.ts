// Operations of alerts and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './alerts.contract.ts';
import {
  acknowledgeAlert,
  countAlerts,
  getAlert,
  listAlerts,
  saveAlertAnalysis,
  unacknowledgeAlert,
} from './alerts.service.ts';
import * as incidents from './incidents.contract.ts';
import { listAlertIncidents } from './incidents.service.ts';

export function alertsRoutes(): Route<Ctx>[] {
  return [
    route(contract.listAlerts, (ctx, { query }) => listAlerts(ctx, query)),
    route(contract.countAlerts, (ctx) => countAlerts(ctx)),
    route(incidents.listAlertIncidents, (ctx, { query }) => listAlertIncidents(ctx, query)),
    route(contract.acknowledgeAlert, async (ctx, { body }) => {
      await acknowledgeAlert(ctx, body);
      return { status: 'acknowledged' };
    }),
    route(contract.unacknowledgeAlert, async (ctx, { query }) => {
      await unacknowledgeAlert(ctx, query.alert_id);
      return { status: 'active' };
    }),
    route(contract.saveAlertAnalysis, async (ctx, { body }) => {
      await saveAlertAnalysis(ctx, body);
      return { status: 'saved' };
    }),
    route(contract.getAlert, (ctx, { params }) => getAlert(ctx, params.id)),
  ];
}
