// JSON-RPC 2.0 as the protocol uses it: one message or, in old revisions, a list of them. Guards: what is no request is told
// so with its id where it has one, and nothing of it is done.
const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

import { isRecord } from '../../kernel/read-json.ts';
export type Params = Readonly<Record<string, unknown>>;
export type RequestId = string | number;

export interface Message {
  /** Undefined: a notification, which nobody waits for. */
  id: RequestId | undefined;
  method: string;
  params: Params;
}

/** What went wrong, in the words of the protocol. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  /** Of the HTTP reply. */
  readonly status: 200 | 400 | 404;

  constructor(code: number, message: string, more: { data?: unknown; status?: 200 | 400 | 404 } = {}) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = more.data;
    this.status = more.status ?? 200;
  }
}

const isId = (value: unknown): value is RequestId =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));

/** The id to answer with, where a message has one. */
export const idOf = (value: unknown): RequestId | null =>
  isRecord(value) && isId(value.id) ? value.id : null;

const invalid = (message: string) => new RpcError(INVALID_REQUEST, message, { status: 400 });

export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RpcError(PARSE_ERROR, 'The body is not valid JSON.', { status: 400 });
  }
}

export function messageOf(value: unknown): Message {
  if (!isRecord(value) || value.jsonrpc !== '2.0')
    throw invalid('The message must be a JSON-RPC 2.0 request with "jsonrpc": "2.0".');
  const { id, method, params } = value;
  if (typeof method !== 'string') throw invalid('The message has no method; this server sends no requests.');
  if (id !== undefined && !isId(id)) throw invalid('The id of a request must be a text or a number.');
  if (params !== undefined && !isRecord(params)) throw invalid('params must be a JSON object.');
  return { id, method, params: params ?? {} };
}

export interface Answer {
  jsonrpc: '2.0';
  id: RequestId | null;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export const answered = (id: RequestId, result: unknown): Answer => ({ jsonrpc: '2.0', id, result });

export function failed(id: RequestId | null, { code, message, data }: RpcError): Answer {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}
