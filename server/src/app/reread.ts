// What SIGHUP does to a running server: the settings are read again, the log level counts at once, and it is said what needs a restart.
// Guards: settings that cannot be read change nothing, and stop nothing.
import type { Config } from '../kernel/config.ts';
import { changedSettings } from '../kernel/config-changes.ts';
import { UsageError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';

export interface Rereading {
  /** What the process runs with. */
  config: Config;
  log: Log;
  /** Reads the settings again; throws UsageError. */
  read(): Config;
  levelOf(config: Config): string;
}

const AT_ONCE: readonly string[] = ['log_level'];

/** Answers what to call each time. */
export function rereader({ config, log, read, levelOf }: Rereading): () => void {
  let applied = levelOf(config);
  return () => {
    try {
      const now = read();
      const changed = changedSettings(config, now);
      const level = levelOf(now);
      const needs_restart = changed.filter((key) => !AT_ONCE.includes(key));
      // A line that is wanted by one of both levels is written.
      log.level = 'info';
      log.info({ event: 'settings.reread', ...(level !== applied && { log_level: level }), needs_restart });
      log.level = level;
      applied = level;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      log.error({ event: 'settings.not_reread', reason: error.message });
    }
  };
}
