// A request over a socket of its own, byte for byte: headers twice, bytes that clients refuse to send, and another address of
// loopback to come from.
import { once } from 'node:events';
import net from 'node:net';

export interface RawRequest {
  port: number;
  /** An address of loopback; 127.0.0.1 when absent. */
  from?: string;
  /** `POST /api/v1/auth/proxy` */
  request: string;
  /** Lines, sent as Latin-1. */
  headers?: readonly string[];
}

export interface RawAnswer {
  status: number;
  /** All lines above the body. */
  head: string;
  body: unknown;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function sendRaw({
  port,
  from = '127.0.0.1',
  request,
  headers = [],
}: RawRequest): Promise<RawAnswer> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: from });
  const lines = [`${request} HTTP/1.1`, 'Host: matriarch.test', 'Connection: close', ...headers];
  const length = request.startsWith('GET') ? [] : ['Content-Length: 0'];
  socket.write([...lines, ...length, '', ''].join('\r\n'), 'latin1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  const [head = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: readJson(rest.join('\r\n\r\n')) };
}
