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

const JSON_MEDIA = ['application/json'];

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
  /** What it has to claim to be one of; anything when absent. */
  media?: readonly string[] | undefined;
}

export interface BodyRequest extends Omit<BytesRequest, 'media'> {
  /** Nothing is also a body. */
  isOptional?: boolean;
}

function demandMedia(
  { 'content-type': contentType = '' }: FastifyRequest['headers'],
  media: readonly string[] = JSON_MEDIA,
): void {
  if (!media.includes(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''))
    throw new Fault('unsupported_media_type', `The Content-Type must be ${media.join(' or ')}.`);
}

/** Reads a body as it is; 413 when it is too large, 415 when it claims to be something else than it has to. */
export async function readBytes({ request, stream, limit, media }: BytesRequest): Promise<Buffer> {
  const { headers } = request;
  if (Number(headers['content-length']) > limit) throw tooLarge(limit);
  if (media && headers['content-length'] !== '0') demandMedia(headers, media);
  return collect(stream, limit);
}

/** Reads and parses a JSON body; 413, 415 or 400 when it is none. */
export async function readBody(asked: BodyRequest): Promise<unknown> {
  const { request, stream, limit, isOptional = false } = asked;
  const { 'content-length': declared } = request.headers;
  if (Number(declared) > limit) throw tooLarge(limit);
  if (declared !== '0') demandMedia(request.headers);
  return parse(await collect(stream, limit), isOptional);
}
