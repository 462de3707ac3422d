// The room that takes logs, with what counts their lines.
import { eventsOf } from '../../collector/logs/log-events.ts';
import { Scrubber } from '../../collector/scrub.ts';
import { logIntakeRoutes } from '../../estate/log-intake/log-intake.routes.ts';
import type { IntakeDeps } from '../../estate/log-intake/log-intake.service.ts';
import type { TestRoom } from './parts.ts';

export function logIntakeDeps(): IntakeDeps {
  const scrubber = new Scrubber([]);
  return { read: eventsOf, scrub: (text) => scrubber.statement(text) };
}

export const logIntakeRoom: TestRoom = async () => logIntakeRoutes(logIntakeDeps());
