// The environment in which the scripts of a copy of the program start it, for benches that start it themselves.
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('../../..', import.meta.url));

/** Copies of long ago set nothing. */
export async function programEnvironment(root = HERE): Promise<NodeJS.ProcessEnv> {
  const file = path.join(root, 'scripts/lib/memory.mjs');
  if (!existsSync(file)) return process.env;
  const { withMemory }: { withMemory(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv } = await import(file);
  return withMemory(process.env);
}
