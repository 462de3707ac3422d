// What an error of the datastore means, by its code or its words. Pure.

const UNREACHABLE = /^(08|57P|53[23])/;
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The SQLSTATE or socket error code of whatever was thrown, if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** True when the datastore is away rather than unwilling. */
export function isUnreachable(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== undefined && (UNREACHABLE.test(code) || SOCKET_ERRORS.has(code))) return true;
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated|timeout expired|Query read timeout|not queryable/i.test(
      error.message,
    )
  );
}
