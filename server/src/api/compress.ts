// Replies on the wire, smaller where the client can read that. Guards: a text that many are sent is compressed once, a
// reply that carries a secret never is (what else stands in it could be guessed from its length), whoever has the same
// text already is told so instead, and what is kept stays within its size.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';
import type { JsonText } from '../kernel/json-text.ts';

type Encoding = 'br' | 'gzip';

/** Below this a reply fits one packet anyway. */
const LEAST_BYTES = 1024;
/** Of texts that are written anew for each request, and often say the same as the one before. */
const MOST_KEPT_TEXTS = 64;
const MOST_KEPT_CHARACTERS = 1024 * 1024;

const negotiator = new Negotiator({ supportedValues: ['br', 'gzip', 'identity'] });
/** Up to here a thread of its own would cost more than the work. */
const AT_ONCE_CHARACTERS = 32_768;

/** The lowest quality: for our JSON smaller than gzip, and cheaper. A window as large as the text needs no more memory. */
function brotliOptions(text: string): BrotliOptions {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 1,
      [constants.BROTLI_PARAM_LGWIN]: text.length > 65_536 ? 20 : 16,
    },
  };
}

const LIGHT = { level: 1 };
const atOnce = {
  br: (text: string) => brotliCompressSync(text, brotliOptions(text)),
  gzip: (text: string) => gzipSync(text, LIGHT),
};
const aside = {
  br: (text: string) => promisify(brotliCompress)(text, brotliOptions(text)),
  gzip: (text: string) => promisify(gzip)(text, LIGHT),
};

const shrink = async (text: string, encoding: Encoding): Promise<Buffer> =>
  text.length > AT_ONCE_CHARACTERS ? aside[encoding](text) : atOnce[encoding](text);

/** What the client takes and we have; undefined for the text as it is. */
function encodingFor(accept: string | undefined): Encoding | undefined {
  if (accept === undefined || accept.length > 512) return undefined;
  const chosen = negotiator.negotiate(accept);
  return chosen === 'br' || chosen === 'gzip' ? chosen : undefined;
}

interface Kept {
  etag: string;
  forms: Map<Encoding, Promise<Buffer>>;
}

const keptByObject = new WeakMap<JsonText, Kept>();
const keptByText = new Map<string, Kept>();
let keptCharacters = 0;

/** When a text was made says nothing about what it says. */
const MADE_AT = /"generated_at":"[^"]*"/;

function madeOf(text: string): Kept {
  const hash = createHash('sha256').update(text.replace(MADE_AT, '')).digest('base64url').slice(0, 27);
  // Weak: the same text in another encoding is the same to whoever asks.
  return { etag: `W/"${hash}"`, forms: new Map() };
}

function keep(text: string, made: Kept): void {
  keptByText.set(text, made);
  keptCharacters += text.length;
  for (const oldest of keptByText.keys()) {
    if (keptByText.size <= MOST_KEPT_TEXTS && keptCharacters <= MOST_KEPT_CHARACTERS) return;
    keptByText.delete(oldest);
    keptCharacters -= oldest.length;
  }
}

function remember(json: string | JsonText): Kept {
  const isText = typeof json === 'string';
  const known = isText ? keptByText.get(json) : keptByObject.get(json);
  if (known) return known;
  const made = madeOf(isText ? json : json.text);
  if (isText) keep(json, made);
  else keptByObject.set(json, made);
  return made;
}

/** The ETag of a text that may be sent again. */
export const etagOf = (json: string | JsonText): string => remember(json).etag;

export interface Encoded {
  body: string | Buffer;
  encoding: Encoding | undefined;
}

/** Whether compressing it can save anything worth the work. */
export const isWorthwhile = (text: string) => text.length >= LEAST_BYTES;

/** A text as this client takes it. `isKept`: the same text is sent again, so its compressed form is worth keeping. */
export async function encode(
  json: string | JsonText,
  accept: string | undefined,
  isKept: boolean,
): Promise<Encoded> {
  const text = typeof json === 'string' ? json : json.text;
  const encoding = encodingFor(accept);
  if (!encoding) return { body: text, encoding };
  if (!isKept) return { body: await shrink(text, encoding), encoding };
  const { forms } = remember(json);
  const form = forms.get(encoding) ?? shrink(text, encoding);
  forms.set(encoding, form);
  return { body: await form, encoding };
}
