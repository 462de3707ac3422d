// Replies on the wire, smaller where the client can read that. Guards: a text that many are sent is compressed once, a
// reply that carries a secret never is (what else stands in it could be guessed from its length), and whoever has the
// same text already is told so instead.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';

type Encoding = 'br' | 'gzip';

/** Below this a reply fits one packet anyway. */
const LEAST_BYTES = 1024;
/** Texts that are kept together with their compressed forms; each is replaced within seconds. */
const KEPT_TEXTS = 64;

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

const kept = new Map<string, Kept>();

/** When a text was made says nothing about what it says. */
const MADE_AT = /"generated_at":"[^"]*"/;

function remember(text: string): Kept {
  const known = kept.get(text);
  if (known) return known;
  const hash = createHash('sha256').update(text.replace(MADE_AT, '')).digest('base64url').slice(0, 27);
  // Weak: the same text in another encoding is the same to whoever asks.
  const made = { etag: `W/"${hash}"`, forms: new Map() };
  kept.set(text, made);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_TEXTS && oldest !== undefined) kept.delete(oldest);
  return made;
}

/** The ETag of a text that is kept by whoever made it. */
export const etagOf = (text: string): string => remember(text).etag;

export interface Encoded {
  body: string | Buffer;
  encoding: Encoding | undefined;
}

/** Whether compressing it can save anything worth the work. */
export const isWorthwhile = (text: string) => text.length >= LEAST_BYTES;

/** A text as this client takes it. `isKept`: the same text is sent again, so its compressed form is worth keeping. */
export async function encode(text: string, accept: string | undefined, isKept: boolean): Promise<Encoded> {
  const encoding = encodingFor(accept);
  if (!encoding) return { body: text, encoding };
  if (!isKept) return { body: await shrink(text, encoding), encoding };
  const { forms } = remember(text);
  const form = forms.get(encoding) ?? shrink(text, encoding);
  forms.set(encoding, form);
  return { body: await form, encoding };
}
