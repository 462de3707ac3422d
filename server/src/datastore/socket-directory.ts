// Whether our own sessions can reach the embedded PostgreSQL by a socket in its directory: a statement takes an eighth less of
// both processors than over loopback. Monitoring goes over loopback all the same (decision 003). Guards: where a socket
// cannot be, nothing is different but that.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';

/** Linux has room for 108 bytes with the zero at the end, macOS for 104. */
const MOST_BYTES = 103;
const SOCKETS = /^\.s\.PGSQL\.\d+(\.lock)?$/;

/** A comma divides directories and hosts, a backslash escapes in PostgreSQL's configuration. */
const IN_LISTS = /[,\\]/;

const fits = (directory: string) => Buffer.byteLength(path.join(directory, '.s.PGSQL.65535')) <= MOST_BYTES;

/** Some mounted file systems hold no sockets. */
async function holdsSockets(directory: string): Promise<boolean> {
  const file = path.join(directory, '.s.try');
  rmSync(file, { force: true });
  const server = net.createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(file, () => resolve(true));
  const held = await promise;
  if (held) await new Promise((closed) => server.close(closed));
  rmSync(file, { force: true });
  return held;
}

/** The directory for `unix_socket_directories`; undefined where there can be none. */
export async function socketDirectory(directory: string): Promise<string | undefined> {
  return process.platform !== 'win32' &&
    !IN_LISTS.test(directory) &&
    fits(directory) &&
    (await holdsSockets(directory))
    ? directory
    : undefined;
}

/**
 * Removes what a server that was killed has left: a new one would take its process id for that of another server, if some
 * process has it by now. Only for a directory on which no server runs.
 */
export function removeSockets(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) if (SOCKETS.test(name)) rmSync(path.join(directory, name));
}
