// Request bodies: JSON in UTF-8, up to the operation's limit, read only after the caller was let in. Operations
// without a body ignore what is sent.
import type { FastifyRequest } from 'fastify';
import type { Operation } from '../kernel/contract.ts';
import { Fault } from '../kernel/errors.ts';

const MIB = 1024 * 1024;

/** The setting's limit, or the operation's own where that is more. */
export function bodyLimitOf({ bodyLimitBytes = 0 }: Operation, usual: number): number {
  return Math.max(bodyLimitBytes, usual);
}

function tooLarge(limit: number): Fault {
  const size = limit % MIB === 0 ? `${limit / MIB} MB` : `${limit} bytes`;
  return new Fault('too_large', `The request body must not be larger than ${size}.`);
}

function isJson(contentType: string): boolean {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

async function collect(stream: AsyncIterable<unknown>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      if (!(chunk instanceof Uint8Array)) continue;
      size += chunk.byteLength;
      if (size > limit) throw tooLarge(limit);
      chunks.push(Buffer.from(chunk));
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('bad_request', 'The request body ended early.', { cause });
  }
  return Buffer.concat(chunks, size);
}

function parse(bytes: Buffer, isOptional: boolean): unknown {
  if (bytes.length === 0 && isOptional) return undefined;
  if (bytes.length === 0) throw new Fault('bad_request', 'The request needs a JSON body.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Fault('bad_request', 'The request body is not valid JSON.', { cause });
  }
}

/** Reads the body of a request, or leaves it where it is. */
export type ReadBody = (request: FastifyRequest, stream: AsyncIterable<unknown>) => Promise<unknown>;

interface BytesRequest {
  request: FastifyRequest;
  stream: AsyncIterable<unknown>;
  limit: number;
  /** Whether it has to claim to be JSON. */
  isJson: boolean;
}

export interface BodyRequest extends Omit<BytesRequest, 'isJson'> {
  /** Nothing is also a body. */
  isOptional?: boolean;
}

function demandJson({ 'content-type': contentType }: FastifyRequest['headers']): void {
  if (!isJson(contentType ?? ''))
    throw new Fault('unsupported_media_type', 'The Content-Type must be application/json.');
}

/** Reads a body as it is; 413 when it is too large, 415 when it claims to be something else than it has to. */
export async function readBytes({ request, stream, limit, isJson: mustBe }: BytesRequest): Promise<Buffer> {
  const { headers } = request;
  if (Number(headers['content-length']) > limit) throw tooLarge(limit);
  if (mustBe && headers['content-length'] !== '0') demandJson(headers);
  return collect(stream, limit);
}

/** Reads and parses a JSON body; 413, 415 or 400 when it is none. */
export async function readBody(asked: BodyRequest): Promise<unknown> {
  const { request, stream, limit, isOptional = false } = asked;
  const { 'content-length': declared } = request.headers;
  if (Number(declared) > limit) throw tooLarge(limit);
  if (declared !== '0') demandJson(request.headers);
  return parse(await collect(stream, limit), isOptional);
}
