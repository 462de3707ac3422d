// What an error of the datastore means, by its code or its words. Pure.
import pg from 'pg';
import { errorCode, Fault } from './errors.ts';
import { cutText, inertLine } from './inert-text.ts';

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

const LONGEST_CAUSE = 200;

/**
 * What the datastore refused a statement with, its SQLSTATE included; undefined when it did not. A value that could not be read
 * stands in quotes behind a colon, and may be anything: it is left out, as the detail is.
 */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  const said = cutText(inertLine(error.message.replace(/: ".*$/s, '')), LONGEST_CAUSE, '…');
  return `${said} (SQLSTATE ${error.code ?? 'unknown'})`;
}

/** Of a connection, as a server reports one of its own to another server; 08P01 is of the protocol with its client. */
const NODE_AWAY = /^080/;

/** The datastore answers, and says that a node which keeps a part of it does not. */
export class NodeAway extends Fault {
  constructor(cause: unknown) {
    super(
      'unavailable',
      'A node of the datastore does not answer, and it keeps a part of what was asked for. Start that node again.',
      { cause },
    );
  }
}

/** True when the datastore has reported that another server, on which it keeps rows, is away. */
const isNodeAway = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && NODE_AWAY.test(error.code ?? '');

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

/** What a statement fails with where a node or the whole datastore is away, for the reason said; undefined: neither is. */
export function awayFault(cause: unknown, reason: () => string): Fault | undefined {
  if (isNodeAway(cause)) return new NodeAway(cause);
  return isUnreachable(cause) ? new Fault('unavailable', reason(), { cause }) : undefined;
}
