// Where a test run keeps its servers. Guards: nothing survives the run; what a killed run left behind is stopped
// and removed by the next one.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isPostgresOf, recordedPid } from '../../datastore/orphan.ts';
import { isRunning, liveOwner, lockText } from '../../kernel/file-lock.ts';
import { continueProcesses, pauseProcesses } from '../faults/pause.ts';

const PREFIX = 'matriarch-test-';
const OWNER = 'owner';

function stopServersIn(runDirectory: string): void {
  for (const name of readdirSync(runDirectory)) {
    const directory = path.join(runDirectory, name, 'data');
    const pid = recordedPid(directory);
    if (pid === null || !isRunning(pid) || !isPostgresOf(pid, directory)) continue;
    pauseProcesses(pid, 'SIGKILL');
    continueProcesses(pid);
  }
}

/** Ends every server below the directory at once (their data is worthless) and removes it. */
export function removeRunDirectory(runDirectory: string): void {
  stopServersIn(runDirectory);
  rmSync(runDirectory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

function sweep(): void {
  for (const name of readdirSync(os.tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const directory = path.join(os.tmpdir(), name);
    try {
      if (liveOwner(readFileSync(path.join(directory, OWNER), 'utf8')) === null)
        removeRunDirectory(directory);
    } catch {
      // being made, being removed, or another user's
    }
  }
}

/** A fresh directory that the server's user can enter, owned by this process. */
export function makeRunDirectory(): string {
  sweep();
  const directory = mkdtempSync(path.join(os.tmpdir(), PREFIX));
  chmodSync(directory, 0o711);
  writeFileSync(path.join(directory, OWNER), lockText(process.pid));
  return directory;
}
