import { pagerdutyRoutes } from '../../alerting/pagerduty/pagerduty.routes.ts';
import { channelsOf } from './channels.ts';
import type { TestRoom } from './parts.ts';

export const pagerdutyRoom: TestRoom = async (parts) => pagerdutyRoutes(await channelsOf(parts));
