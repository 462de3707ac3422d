// Processes that want the same data directory.
import path from 'node:path';
import { type Child, startChild } from '../child.ts';

const script = path.join(import.meta.dirname, 'hold-data-dir.ts');

export function contender(dataDir: string): Child {
  return startChild({ script, args: [dataDir] });
}

export async function tryLock(child: Child): Promise<string | null> {
  child.process.stdin?.write('go\n');
  return child.line();
}
