// Texts of servers whose bytes need not be UTF-8: of databases in another encoding, whose names and statements are in views that all databases
// share. Pure. Guards: whatever the bytes are, they become a text, so that one value never costs the rest of an answer.

/** What a text begins with that was cut by bytes on the server: see `cutBytes`. */
export const CUT_MARK = 2;
const MARK = String.fromCharCode(CUT_MARK);
const REPLACEMENT = '\ufffd';

/** By PostgreSQL's names of encodings. What is not listed here is read as UTF-8 alone. */
const LABELS = new Map<string, string>([
  ...['1', '2', '3', '4'].map((n) => [`LATIN${n}`, `iso-8859-${n}`] as const),
  ['LATIN5', 'iso-8859-9'],
  ['LATIN6', 'iso-8859-10'],
  ['LATIN7', 'iso-8859-13'],
  ['LATIN8', 'iso-8859-14'],
  ['LATIN9', 'iso-8859-15'],
  ['LATIN10', 'iso-8859-16'],
  ...['5', '6', '7', '8'].map((n) => [`ISO_8859_${n}`, `iso-8859-${n}`] as const),
  ...['1250', '1251', '1252', '1253', '1254', '1255', '1256', '1257', '1258'].map(
    (n) => [`WIN${n}`, `windows-${n}`] as const,
  ),
  ['WIN866', 'ibm866'],
  ['WIN874', 'windows-874'],
  ['KOI8R', 'koi8-r'],
  ['KOI8U', 'koi8-u'],
  ['EUC_JP', 'euc-jp'],
  ['EUC_KR', 'euc-kr'],
  ['EUC_CN', 'gbk'],
]);

const decoders = new Map<string, TextDecoder | undefined>();

function decoderOf(encoding: string): TextDecoder | undefined {
  if (decoders.has(encoding)) return decoders.get(encoding);
  const label = LABELS.get(encoding);
  const decoder = label === undefined ? undefined : new TextDecoder(label);
  decoders.set(encoding, decoder);
  return decoder;
}

/** Bytes that are no UTF-8 are what the session's database takes them for; what is neither becomes U+FFFD. */
export function textOf(bytes: Buffer, encoding: string): string {
  const text = bytes.toString('utf8');
  if (!text.includes(REPLACEMENT)) return text;
  return decoderOf(encoding)?.decode(bytes) ?? text;
}

const ESCAPED = /\\(?:\\|[0-7]{3})/g;

/** The text of what was cut on the server, up to the last whole character. */
export function uncut(sent: string): string {
  if (!sent.startsWith(MARK)) return sent;
  const bytes = sent
    .slice(1)
    .replaceAll(ESCAPED, (one) =>
      one === '\\\\' ? '\\' : String.fromCharCode(Number.parseInt(one.slice(1), 8)),
    );
  return textOf(Buffer.from(bytes, 'latin1'), 'UTF8').replace(/\ufffd$/, '');
}

/** A name that holds what is no text, told from others by the id of its object. */
export const standIn = (name: string, oid: unknown): string =>
  name.includes(REPLACEMENT) ? `${name} (oid ${String(oid)})` : name;

/** The server refuses bytes that are none of its encoding (22021), have no place in it (22P05), or that it cannot convert (42883). */
export const FOREIGN_TEXTS = ['22021', '22P05', '42883'] as const;
export type ForeignText = (typeof FOREIGN_TEXTS)[number];

export const foreignTextOf = (code: string): ForeignText | undefined =>
  FOREIGN_TEXTS.find((one) => one === code);
