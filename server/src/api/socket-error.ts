// Requests so malformed that no request object exists: answered on the socket itself, in the same JSON and with the
// same headers as any other error.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode } from '../kernel/errors.ts';
import { apiHeaders, JSON_TYPE } from './headers.ts';
import { errorBody } from './respond.ts';

/** Not imported: to import all names of node:http loads an HTTP client that nothing here uses, 16 MB and 25 ms. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const ANSWERS: Record<string, readonly [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [503, 'The request took too long to arrive.'],
};

function textOf(status: number, sentence: string, more: Record<string, string> = {}): string {
  const body = errorBody(sentence);
  const headers = {
    ...apiHeaders,
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': randomUUID(),
    connection: 'close',
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/** True when a reply has begun on this socket, so that another one would only garble it. */
function isAnswering(socket: Socket): boolean {
  if (!('_httpMessage' in socket)) return false;
  const message = socket._httpMessage;
  return (
    typeof message === 'object' &&
    message !== null &&
    'headersSent' in message &&
    message.headersSent === true
  );
}

export function answerSocketError(error: Error, socket: Socket): void {
  const code = errorCode(error) ?? '';
  // A connection that never said anything is closed in silence: browsers open some in advance.
  const isSilent = code === 'ECONNRESET' || socket.bytesRead === 0;
  if (isSilent || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [status, sentence] = ANSWERS[code] ?? [400, 'The request is malformed.'];
  socket.end(textOf(status, sentence), () => socket.destroy());
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Who asks for a tunnel gets an answer instead of a closed connection: this is no proxy. */
export function answerConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  const sentence = 'This server is no proxy, so it does not answer to CONNECT.';
  socket.end(textOf(405, sentence, { allow: METHODS }), () => socket.destroy());
}
