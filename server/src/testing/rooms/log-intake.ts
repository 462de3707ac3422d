// The room that takes logs, with what counts their lines.
import { LineKeeper } from '../../collector/logs/line-keeper.ts';
import { Scrubber } from '../../collector/scrub.ts';
import { logIntakeRoutes } from '../../estate/log-intake/log-intake.routes.ts';
import type { IntakeDeps } from '../../estate/log-intake/log-intake.service.ts';
import { KEPT_LINES } from '../logs/kept-lines.ts';
import type { TestRoom } from './parts.ts';

export function logIntakeDeps(): IntakeDeps {
  const scrubber = new Scrubber([]);
  const { read } = new LineKeeper(KEPT_LINES);
  return { read, scrub: (text) => scrubber.statement(text) };
}

export const logIntakeRoom: TestRoom = async () => logIntakeRoutes(logIntakeDeps());
