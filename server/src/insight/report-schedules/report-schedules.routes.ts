// Operations of report schedules and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './report-schedules.contract.ts';
import {
  createReportSchedule,
  deleteReportSchedule,
  listReportSchedules,
  previewReport,
  sendReportNow,
  updateReportSchedule,
} from './report-schedules.service.ts';

export function reportSchedulesRoutes({ base_url }: { base_url?: string | undefined }): Route<Ctx>[] {
  return [
    route(contract.listReportSchedules, (ctx) => listReportSchedules(ctx)),
    route(contract.createReportSchedule, (ctx, { body }) => createReportSchedule(ctx, body)),
    route(contract.updateReportSchedule, (ctx, { params, body }) =>
      updateReportSchedule(ctx, params.id, body),
    ),
    route(contract.deleteReportSchedule, async (ctx, { params }) => {
      await deleteReportSchedule(ctx, params.id);
      return { status: 'deleted' };
    }),
    route(contract.sendReportNow, async (ctx, { params }) => {
      await sendReportNow(ctx, params.id);
      return { status: 'queued' };
    }),
    route(contract.previewReport, (ctx, { params }) => previewReport(ctx, params.id, base_url)),
  ];
}
