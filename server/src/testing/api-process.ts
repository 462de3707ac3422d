// The API as a real process on a datastore that stands already, for tests of what several processes know together.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from './child.ts';
import type { TestDatabase } from './servers/database.ts';
import { testDirectory } from './servers/postgres.ts';

const script = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface ApiProcess {
  url: string;
  child: Child;
}

/** Starts one and waits until it is ready; `settings` are flags such as `--api-trusted-proxies`. */
export async function startApiProcess(
  { url }: Pick<TestDatabase, 'url'>,
  keyFile: string,
  settings: readonly string[] = [],
): Promise<ApiProcess> {
  const args = ['start', '--roles', 'api', '--port', '0', '--datastore-url', url.reveal()];
  const own = ['--data-dir', testDirectory('data'), '--secret-key-file', keyFile, '--log-level', 'silent'];
  const child = startChild({ script, args: [...args, ...own, ...settings] });
  for (let line = await child.line(); line !== null; line = await child.line()) {
    const ready = /ready: (http:\S+)/.exec(line)?.[1];
    if (ready) return { url: ready, child };
  }
  throw new Error(`did not start: ${child.errors()}`);
}

/** A new key file's path, to be shared by processes of one datastore. */
export const newKeyFile = (): string => path.join(testDirectory('key'), 'secret.key');
