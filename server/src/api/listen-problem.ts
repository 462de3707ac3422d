// Why the API cannot listen, as a sentence that says what to do; anything else stays what it is.
import type { Config } from '../kernel/config.ts';
import { UsageError } from '../kernel/errors.ts';

export function listenProblem({ host, port }: Config, cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
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
