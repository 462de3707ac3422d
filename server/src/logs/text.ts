// Bytes of a log as text. Lines are read as one character a byte, which is fast and loses nothing; what is shown is decoded here.
// Guards: bytes that are no UTF-8 become U+FFFD; no shown text keeps the piece of the file alive that it was cut from.
const BEYOND_ASCII = /[\u0080-\uffff]/;
const BEYOND_BYTES = /[\u0100-\uffff]/;

/** As it was meant, in a string of its own. */
export function decoded(bytes: string): string {
  if (!BEYOND_ASCII.test(bytes)) return Buffer.from(bytes, 'latin1').toString('latin1');
  // JSON may have written characters as escapes.
  if (BEYOND_BYTES.test(bytes)) return Buffer.from(bytes, 'utf8').toString('utf8');
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A text of ours as the bytes that a file has for it. */
export const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
