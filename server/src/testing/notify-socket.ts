// What systemd is for a service: a socket to which systemd-notify sends. Perl receives, since the runtime cannot; both are part of each
// Debian with systemd.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { testDirectory } from './servers/postgres.ts';

export const canNotify = existsSync('/usr/bin/systemd-notify') && existsSync('/usr/bin/perl');

/** Prints each message on a line, with | between its assignments. */
const RECEIVER = String.raw`
use Socket;
$| = 1;
socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die $!;
bind($socket, pack_sockaddr_un($ARGV[0])) or die $!;
print "listening\n";
while (defined recv($socket, my $message, 4096, 0)) {
  $message =~ s/\n+\z//;
  $message =~ s/\n/|/g;
  print "$message\n";
}`;

export interface NotifySocket {
  /** For NOTIFY_SOCKET. */
  path: string;
  /** Received so far, without those by which systemd-notify waits until it was read. */
  messages: string[];
}

export async function startNotifySocket(): Promise<NotifySocket> {
  const socket = path.join(testDirectory('notify'), 'socket');
  const receiver = spawn('/usr/bin/perl', ['-e', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void receiver.kill('SIGKILL'));
  const messages: string[] = [];
  const lines = createInterface({ input: receiver.stdout });
  await once(lines, 'line');
  lines.on('line', (line) => {
    if (line !== 'BARRIER=1') messages.push(line);
  });
  return { path: socket, messages };
}
