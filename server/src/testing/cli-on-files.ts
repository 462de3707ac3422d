// Commands that read files, run as a user runs them but without any datastore.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { runCli } from '../cli/cli.ts';
import { settings } from '../cli/settings.ts';
import { systemClock } from '../kernel/clock.ts';
import { loadConfig } from '../kernel/config.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';

const noDatastore = () => Promise.reject(new Error('files need no datastore'));

/** `matriarch` runs the command, or what it is given where the command is ''; `file` writes one into a folder that goes with the tests. */
export function cliOnFiles(command: string) {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), `matriarch-${command}-`));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function matriarch(...argv: string[]) {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await runCli(
      {
        out: (line) => out.push(line),
        err: (line) => err.push(line),
        interactive: false,
        readSecret: async () => new Secret(''),
        db: noDatastore,
        migrate: noDatastore,
        clock: systemClock,
        log: silentLog,
        config: () => loadConfig({ settings, argv: [], env: {} }),
      },
      [...(command === '' ? [] : [command]), ...argv],
    );
    return { code, out: out.join('\n'), err: err.join('\n') };
  }

  async function file(name: string, content: string | Buffer): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  return { matriarch, file, folder: () => folder };
}
