// A reverse proxy on loopback that leads one path of its host to a server, and answers 418 at all others, where other applications would be.
import { once } from 'node:events';
import http from 'node:http';
import { createProxyServer } from 'httpxy';

export interface BelowOptions {
  port: number;
  /** http://127.0.0.1:port */
  target: string;
  /** Such as /tools/matriarch. */
  base: string;
  /** The server gets its requests without it. */
  isTakenAway: boolean;
}

/** Answers how to stop it. */
export async function startBelowProxy({ port, target, base, isTakenAway }: BelowOptions) {
  const proxy = createProxyServer({ target });
  const server = http.createServer((request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith(`${base}/`) && path !== base) {
      response.writeHead(418).end('another application');
      return;
    }
    if (isTakenAway) request.url = path.slice(base.length) || '/';
    void proxy.web(request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return () => {
    server.closeAllConnections();
    server.close();
  };
}
