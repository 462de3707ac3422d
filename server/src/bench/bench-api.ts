// What benches of the API share: its settings, its log, and a bare server that sends the same bytes, to compare it with.
import http from 'node:http';
import { createLog } from '../kernel/log.ts';

export const CONFIG = {
  host: '127.0.0.1',
  port: 0,
  trustedProxies: [],
  allowedOrigins: [],
  webRoot: undefined,
  logRequests: true,
  requestTimeoutMs: 60_000,
  bodyLimitBytes: 1_048_576,
  sharedAccess: 'read_write' as const,
};

/** Logs as in production, to nowhere. */
export const log = createLog({ level: 'info', destination: { write: () => undefined } });

export async function plainServer(body: string): Promise<{ origin: string; stop(): Promise<void> }> {
  const length = Buffer.byteLength(body);
  const server = http.createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': length })
      .end(body),
  );
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const stop = async () => {
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    server.closeAllConnections();
    await closed.promise;
  };
  return { origin: `http://127.0.0.1:${port}`, stop };
}
