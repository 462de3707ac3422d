// The program as a real process on a datastore that stands already, for tests of what several processes know together.
import path from 'node:path';
import type { Secret } from '../kernel/secret.ts';
import { type Child, startChild } from './child.ts';
import { script } from './program.ts';
import type { TestDatabase } from './servers/database.ts';
import { testDirectory } from './servers/postgres.ts';

export interface ApiProcess {
  url: string;
  child: Child;
}

interface Started {
  child: Child;
  ready: string | undefined;
}

/** Starts the program and waits for a line that says it is ready; `settings` are flags such as `--api-trusted-proxies`. */
async function startProgram(
  { url, keyFile, roles }: { url: Secret; keyFile: string; roles: string },
  settings: readonly string[],
  ready: RegExp,
): Promise<Started> {
  const args = ['start', '--roles', roles, '--port', '0', '--datastore-url', url.reveal()];
  const own = ['--data-dir', testDirectory('data'), '--secret-key-file', keyFile, '--log-level', 'silent'];
  const child = startChild({ script, args: [...args, ...own, ...settings] });
  for (let line = await child.line(); line !== null; line = await child.line()) {
    const found = ready.exec(line);
    if (found) return { child, ready: found[1] };
  }
  throw new Error(`did not start: ${child.errors()}`);
}

/** Starts one and waits until it is ready; `settings` are flags such as `--api-trusted-proxies`. */
export async function startApiProcess(
  { url }: Pick<TestDatabase, 'url'>,
  keyFile: string,
  settings: readonly string[] = [],
): Promise<ApiProcess> {
  const started = await startProgram({ url, keyFile, roles: 'api' }, settings, /ready: (http:\S+)/);
  return { url: started.ready ?? '', child: started.child };
}

/** One that only judges, makes blackouts and delivers. */
export async function startAlerterProcess(
  url: Secret,
  keyFile: string,
  settings: readonly string[],
): Promise<Child> {
  return (await startProgram({ url, keyFile, roles: 'alerter' }, settings, /is running/)).child;
}

/** A new key file's path, to be shared by processes of one datastore. */
export const newKeyFile = (): string => path.join(testDirectory('key'), 'secret.key');
