// How the scripts of a copy of the program start it: which file, in which environment; for benches that start it themselves.
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

/** The flags that they give the runtime. */
export async function programFlags(root = HERE): Promise<readonly string[]> {
  const file = path.join(root, 'scripts/lib/memory.mjs');
  if (!existsSync(file)) return [];
  const { RUNTIME_FLAGS = [] }: { RUNTIME_FLAGS?: readonly string[] } = await import(file);
  return RUNTIME_FLAGS;
}

/** The file that they run, built if it must be. Copies of long ago run from their sources, and begin in main.ts. */
export async function programFile(root = HERE): Promise<string> {
  const file = path.join(root, 'scripts/lib/server-build.mjs');
  if (existsSync(file)) {
    const { builtProgram }: { builtProgram(): Promise<string> } = await import(file);
    return await builtProgram();
  }
  const main = path.join(root, 'server/src/main');
  return existsSync(`${main}.mjs`) ? `${main}.mjs` : `${main}.ts`;
}
