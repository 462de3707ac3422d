// Bytes that are texts, whatever they are called. Pure. Guards: images and documents of other kinds stay bytes.

const TEXTUAL = /^text\/|[/+](?:json|xml|yaml|x-yaml|x-ndjson|sql|toml|javascript|x-sh|csv)$/i;
const MARKS: readonly (readonly [mark: string, encoding: string])[] = [
  ['\u00ff\u00fe', 'utf-16le'],
  ['\u00fe\u00ff', 'utf-16be'],
];

/** What bytes say as text; undefined where they are none. */
export function textOf(bytes: Buffer, media_type: string): string | undefined {
  const start = bytes.toString('latin1', 0, 5);
  if (start === '%PDF-') return undefined;
  const isNamedText = TEXTUAL.test(media_type);
  const encoding = MARKS.find(([mark]) => start.startsWith(mark))?.[1] ?? 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (isNamedText || !text.includes('\0')) return text;
  } catch {
    // Bytes of another kind.
  }
  return isNamedText ? bytes.toString('latin1') : undefined;
}

const BASE64 = /^[A-Za-z0-9+/]{24,}={0,2}$/;

/** What a text says that is base64 from its beginning to its end, of a text. */
export const inBase64 = (text: string): string | undefined =>
  text.length % 4 === 0 && BASE64.test(text) ? textOf(Buffer.from(text, 'base64'), '') : undefined;
