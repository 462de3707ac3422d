// Authenticated encryption of stored secrets: AES-256-GCM with a random nonce. The table, column and row that a secret
// is stored in are its associated data. Pure. Guards: a text that was sealed for one row cannot be opened in another,
// and a text that cannot be opened is an error, never returned as if it were plain text.
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** The associated data of a sealed value: where it is stored, and under which key. Every part is authenticated. */
export type AssociatedData = readonly (string | number)[];

export class SealBroken extends Error {
  constructor(cause?: unknown) {
    super('a sealed value could not be opened', cause === undefined ? undefined : { cause });
    this.name = 'SealBroken';
  }
}

/** Each part with its length, so that no two lists read the same. */
function encoded(data: AssociatedData): Buffer {
  return Buffer.concat(
    data.flatMap((part) => {
      const bytes = Buffer.from(String(part), 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** A key object prints as nothing and keeps its bytes outside of ordinary memory dumps of the heap. */
export function keyObject(bytes: Uint8Array): KeyObject {
  return createSecretKey(bytes);
}

/** A key of its own for one purpose; knowing it tells nothing about the key it came from. */
export function deriveKey(key: KeyObject, label: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `matriarch ${label}`, KEY_BYTES)));
}

/** nonce (12 bytes), tag (16 bytes), ciphertext. */
export function sealBytes(key: KeyObject, data: AssociatedData, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(encoded(data));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws SealBroken when the key, the associated data or a single bit is another. */
export function openBytes(key: KeyObject, data: AssociatedData, sealed: Uint8Array): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new SealBroken();
  const bytes = Buffer.from(sealed);
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(encoded(data))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new SealBroken(cause);
  }
}
