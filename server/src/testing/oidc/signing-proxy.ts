// A reverse proxy that has signed its people in: it sends the name and groups of the one who sits at the browser, and takes away what
// the client sent under these names.
import { once } from 'node:events';
import http from 'node:http';
import { createProxyServer } from 'httpxy';

export interface SigningProxy {
  url: string;
  /** Who sits at the browser; a test may change it. */
  person: { user: string | undefined; groups: string };
  stop(): Promise<void>;
}

export async function startSigningProxy(target: () => string, port: number): Promise<SigningProxy> {
  const person: SigningProxy['person'] = { user: undefined, groups: '' };
  const proxy = createProxyServer({});
  const server = http.createServer((request, response) => {
    delete request.headers['x-remote-user'];
    request.headers['x-remote-groups'] = person.groups;
    if (person.user !== undefined) request.headers['x-remote-user'] = person.user;
    void proxy.web(request, response, { target: target() });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    person,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
