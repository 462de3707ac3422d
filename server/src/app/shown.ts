// What this process shows of itself, whatever its roles: its figures, and where health and figures are without the role api.
import type { HealthListener } from '../api/utilities/health-listener.ts';
import { createOwnFigures, type OwnFigures } from '../api/utilities/own-figures.service.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import type { Database } from '../kernel/db.ts';
import { Figures } from '../kernel/figures.ts';
import type { Parts } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { once } from '../kernel/once.ts';
import { LoopDelay, processFigures } from '../kernel/process-figures.ts';
import { commit, VERSION } from '../kernel/version.ts';

export interface Shown {
  /** Where parts say what they count. */
  figures: Figures;
  /** What /metrics answers. */
  own: OwnFigures;
}

interface OfProcess {
  config: Config;
  log: Log;
  clock: Clock;
  db: Database;
}

export function shownOf({ config, clock, db }: OfProcess, lifecycle: Parts): Shown {
  const figures = new Figures();
  const delay = lifecycle.add(new LoopDelay());
  figures.add(processFigures({ roles: config.roles, version: VERSION, commit: once(commit), delay }));
  figures.add(db.figures);
  return { figures, own: createOwnFigures({ db, clock, figures, token: config.metrics.token }) };
}

/** At the port that somebody has chosen, else at any free one: that of the API may be in use by another process. */
export async function listenAlone({ config, log, db }: OfProcess, { own }: Shown): Promise<HealthListener> {
  const { listenForHealth } = await import('../api/utilities/health-listener.ts');
  const { resolved, host } = config;
  const isChosen = resolved.some(({ setting, source }) => setting.key === 'port' && source !== 'default');
  return listenForHealth({ db, log, version: VERSION, figures: own, host, port: isChosen ? config.port : 0 });
}
