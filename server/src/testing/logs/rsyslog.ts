// A relay as hosts have one: rsyslog takes what PostgreSQL writes by libc to /dev/log, and forwards it by RFC 5424 over TCP.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testDirectory } from '../servers/postgres.ts';

const LOCAL = '/dev/log';
const PROGRAM = 'rsyslogd';

/** Why there can be none here; undefined: there can. */
export function whyNoRelay(): string | undefined {
  if (process.getuid?.() !== 0) return `only root may make ${LOCAL}`;
  if (existsSync(LOCAL)) return `${LOCAL} is in use on this machine`;
  if (spawnSync(PROGRAM, ['-v']).status !== 0)
    return 'rsyslog is not installed (Debian: apt-get install rsyslog)';
  return undefined;
}

/** Until the test ends. */
export async function startRelay(port: number): Promise<void> {
  const directory = testDirectory('rsyslog');
  const file = path.join(directory, 'rsyslog.conf');
  writeFileSync(
    file,
    `global(workDirectory="${directory}")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="${LOCAL}" RateLimit.Interval="0")
*.* action(type="omfwd" target="127.0.0.1" port="${port}" protocol="tcp" TCP_Framing="octet-counted"
  template="RSYSLOG_SyslogProtocol23Format" action.resumeRetryCount="-1" action.resumeInterval="1")
`,
  );
  const relay = spawn(PROGRAM, ['-n', '-f', file, '-i', path.join(directory, 'pid')], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => relay.once('exit', resolve));
    relay.kill('SIGKILL');
    await ended;
    rmSync(LOCAL, { force: true });
  });
  await expect.poll(() => existsSync(LOCAL), { timeout: 10_000 }).toBe(true);
}
