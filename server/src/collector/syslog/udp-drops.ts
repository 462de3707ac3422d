// Datagrams that the kernel threw away because the buffer of a socket was full: Linux counts them by socket. Guards: where the system does
// not say, the count is unknown and not 0.
import { readFile } from 'node:fs/promises';

const TABLES = ['/proc/net/udp', '/proc/net/udp6'] as const;
const HEXADECIMAL = 16;

/** Of one table: the drops of all sockets at a port; undefined where none is there. */
export function dropsIn(table: string, port: number): number | undefined {
  const own = table.split('\n').flatMap((line) => {
    const [, local = '', , , , , , , , , , , drops] = line.trim().split(/\s+/);
    return Number.parseInt(local.split(':')[1] ?? '', HEXADECIMAL) === port ? [Number(drops)] : [];
  });
  const known = own.filter(Number.isSafeInteger);
  return known.length === 0 ? undefined : known.reduce((sum, drops) => sum + drops, 0);
}

/** Since the socket was opened; undefined on systems that do not say. */
export async function udpDrops(port: number): Promise<number | undefined> {
  const tables = await Promise.all(TABLES.map((file) => readFile(file, 'utf8').catch(() => '')));
  const known = tables.flatMap((table) => dropsIn(table, port) ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, drops) => sum + drops, 0);
}
