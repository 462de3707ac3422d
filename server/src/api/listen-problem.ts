// Why the API cannot listen, as a sentence that says what to do; anything else stays what it is.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../kernel/config.ts';
import { errorCode, UsageError } from '../kernel/errors.ts';

export function listenProblem({ host, port }: Config, cause: unknown): unknown {
  const code = errorCode(cause);
  if (code === 'EADDRINUSE')
    return new UsageError(
      `Port ${port} on ${host} is taken by another program. Choose another with --port, or 0 for any.`,
    );
  if (code === 'EACCES')
    return new UsageError(`This user may not listen on port ${port}. Choose one from 1024 with --port.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new UsageError(`${host} is not an address of this machine. Choose another with --host.`);
  return cause;
}

/** Before anything is collected or judged: a process that cannot answer would do both until it gets there. */
export async function demandListenable(config: Config): Promise<void> {
  const { host, port } = config;
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (cause) {
    throw listenProblem(config, cause);
  }
  server.close();
  await once(server, 'close');
}
