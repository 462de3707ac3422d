// Ports on loopback. Between looking and binding somebody else may take a port, so starting is retried on another.
import net from 'node:net';
import { UsageError } from '../kernel/errors.ts';
import { PortTaken } from './pg-process.ts';

export const LOOPBACK = '127.0.0.1';
const ATTEMPTS = 5;

/** A port nobody listens on; `preferred` when it is free. */
export async function freePort(preferred: number | null): Promise<number> {
  const server = net.createServer();
  const { promise, resolve } = Promise.withResolvers<number>();
  server.once('error', () => resolve(0));
  server.listen({ host: LOOPBACK, port: preferred ?? 0, exclusive: true }, () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  const port = await promise;
  if (port !== 0) return port;
  if (preferred === null) throw new UsageError(`No free port on ${LOOPBACK} for PostgreSQL.`);
  return freePort(null);
}

/** Runs `start` with a free port, again with another while it rejects with PortTaken. */
export async function onFreePort<T>(
  preferred: number | null,
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort(attempt === 1 ? preferred : null));
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === ATTEMPTS) throw error;
    }
  }
}
