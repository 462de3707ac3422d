// What benches of the API share: its settings and its log.
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
