import { reportSchedulesRoutes } from '../../insight/report-schedules/report-schedules.routes.ts';
import type { TestRoom } from './parts.ts';

export const reportSchedulesRoom: TestRoom = () => reportSchedulesRoutes({});
