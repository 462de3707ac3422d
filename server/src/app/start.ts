// matriarch start: runs the app until it is stopped, and says on standard output and to systemd what happens.

import type { ServiceManager } from '../kernel/service-manager.ts';
import { onStop } from '../kernel/stop-signals.ts';
import { VERSION } from '../kernel/version.ts';
import { type App, type AppOptions, startApp } from './compose.ts';

export type StartOptions = Omit<AppOptions, 'progress' | 'signal'> & {
  out(line: string): void;
  /** What SIGHUP does; it ends the program when absent. */
  reread?: (() => void) | undefined;
  manager: ServiceManager;
};

interface Stopping {
  reason: Promise<string>;
  signal: AbortSignal;
  release(): void;
}

const FORCED = 130;
const LINGER_MS = 500;

function stopping({ out, reread, manager }: Pick<StartOptions, 'out' | 'reread' | 'manager'>): Stopping {
  const { promise, resolve } = Promise.withResolvers<string>();
  const controller = new AbortController();
  const release = onStop({
    stop: (reason) => {
      manager.stopping();
      controller.abort();
      resolve(reason);
    },
    force: () => {
      out('Stopping at once.');
      process.exit(FORCED);
    },
    ...(reread && { reread: () => manager.during(reread) }),
  });
  return { reason: promise, signal: controller.signal, release };
}

function announce(out: (line: string) => void, app: Pick<App, 'url' | 'health_url' | 'admin_link'>): void {
  if (!app.url) {
    out('Matriarch is running (no API in this process). Ctrl-C stops it.');
    out(`Health and metrics: ${app.health_url}`);
    return;
  }
  out('');
  out(`  Matriarch ${VERSION} is ready: ${app.url}`);
  if (app.admin_link) {
    out('  Sign in once as administrator:');
    // Alone on its line, so that it can be copied whole from a narrow terminal.
    out(app.admin_link);
    out('  The link works once, for an hour. Set a password on the page it opens.');
  }
  out('  Ctrl-C stops everything.');
  out('');
}

/** A socket to a datastore that answers nothing would keep the process for as long as that lasts. */
function endSoon(code: number): number {
  setTimeout(() => process.exit(code), LINGER_MS).unref();
  return code;
}

/** Runs until a signal, the death of the starter or a failure; answers the exit code. */
export async function start({ out, reread, manager, ...options }: StartOptions): Promise<number> {
  const stop = stopping({ out, reread, manager });
  try {
    const app = await startApp({
      ...options,
      progress: (sentence) => {
        out(`  ${sentence}`);
        manager.progress(sentence);
      },
      signal: stop.signal,
    });
    announce(out, app);
    manager.ready(`Version ${VERSION} is ready: ${app.url ?? app.health_url}`);
    const failure = await Promise.race([stop.reason.then(() => undefined), app.failed]);
    if (failure) out(failure);
    manager.stopping();
    out('Stopping…');
    await app.stop();
    const code = failure ? 1 : 0;
    return endSoon(code);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return endSoon(0);
  } finally {
    stop.release();
  }
}
