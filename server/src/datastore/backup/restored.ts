// A note in a data directory that it was restored, for the first start there. Guards: it goes only after the start has taken it into account.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cutText } from '../../kernel/inert-text.ts';

const fileOf = (dataDir: string) => path.join(dataDir, 'restored');

export function noteRestored(dataDir: string, backupOf: string): void {
  writeFileSync(fileOf(dataDir), `${backupOf}\n`, { mode: 0o600 });
}

/** Calls with when the backup was made, once after a restore. */
export async function afterRestore(
  dataDir: string,
  work: (backupOf: string) => Promise<void>,
): Promise<void> {
  const file = fileOf(dataDir);
  if (!existsSync(file)) return;
  await work(cutText(readFileSync(file, 'utf8').trim(), 40));
  rmSync(file);
}
