// What is taken out of a request before it leaves for a provider: secrets, constants of statements, addresses of mail and of
// clients. Guards: equal values get equal placeholders within one request; JSON is read as JSON up to a size and a depth,
// everything else as text; bytes that are texts are read as such, whatever they are called, and all others stay bytes; the time stays in line
// with the length.
import { inert } from '../../kernel/inert.ts';
import {
  ADDRESS,
  CLIENT_NAME,
  EMAIL,
  IN_LOG,
  isSecretName,
  NOBODYS,
  saysNothing,
  withoutSecrets,
} from './secret-patterns.ts';
import { expressionWithoutLiterals, withoutLiterals, withoutStrings } from './sql-literals.ts';
import { columnsOf, secretCells, withoutTableSecrets } from './table-secrets.ts';

/** Longer texts are not read as JSON. */
const MOST_JSON = 8 * 1024 * 1024;
/** JSON within texts of JSON, and so on. */
const MOST_NESTED = 8;
const DEEPEST = 48;

export interface MaskSettings {
  mask_emails: boolean;
  mask_addresses: boolean;
}

export const MASKS = ['secret', 'text', 'number', 'comment', 'value', 'email', 'address'] as const;
export type Mask = (typeof MASKS)[number];

export const WHY: Record<Mask, string> = {
  secret: 'a password, key, token or the value of a masked setting',
  text: 'a text constant of a statement',
  number: 'a number constant of a statement',
  comment: 'a comment of a statement',
  value: 'a value of a row or parameter in a message of the server',
  email: 'an address of mail',
  address: 'a network address',
};

/** Said to the model where something was masked. */
export const EXPLAINED =
  'Words such as [text 1], [secret 2] or [number 3] stand in place of values that are kept from you; equal ones stand for equal values.';

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
const inBase64 = (text: string): string | undefined =>
  text.length % 4 === 0 && BASE64.test(text) ? textOf(Buffer.from(text, 'base64'), '') : undefined;

const IN_PLAN =
  /^(?:.{0,30}(?:Filter|Cond)|Sort Key|Presorted Key|Group Key|Cache Key|Order By|Partition By|Output|Function Call|Remote SQL)$/;
const PASSWORD = /passw|passphrase|passcode/i;
const NO_COLUMNS = columnsOf([]);

/** A member that is there twice is read once. */
const stringsIn = (json: string) => json.match(/"(?:[^"\\]|\\.)*"/g)?.length ?? 0;

/** Placeholders of one request. */
export class Masker {
  readonly #settings: MaskSettings;
  readonly #known = new Map<string, string>();
  readonly #counts = new Map<Mask, number>();

  constructor(settings: MaskSettings) {
    this.#settings = settings;
  }

  /** How many different values of each kind were taken out. */
  get masked(): Partial<Record<Mask, number>> {
    return Object.fromEntries(this.#counts);
  }

  get isClean(): boolean {
    return this.#counts.size === 0;
  }

  #stand(mask: Mask, value: string): string {
    const key = `${mask}:${value}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const word = `[${mask} ${this.#known.size + 1}]`;
    this.#known.set(key, word);
    this.#counts.set(mask, (this.#counts.get(mask) ?? 0) + 1);
    return word;
  }

  /** The placeholder of what is known to be a secret. */
  secret(value: string): string {
    return this.#stand('secret', value);
  }

  /** Only what is a secret, for texts that must stay as they are otherwise. */
  secrets(text: string): string {
    return withoutSecrets(text, (value) => this.#stand('secret', value));
  }

  #people(text: string): string {
    const { mask_emails, mask_addresses } = this.#settings;
    const mailless =
      mask_emails && text.includes('@')
        ? text.replace(EMAIL, (found) => (found.includes('@') ? this.#stand('email', found) : found))
        : text;
    if (!mask_addresses) return mailless;
    return mailless.replace(ADDRESS, (found) =>
      NOBODYS.test(found) ? found : this.#stand('address', found),
    );
  }

  #plain(text: string): string {
    const tables = withoutTableSecrets(text, (value) => this.#stand('secret', value));
    const stringless = withoutStrings(tables, (kind, value) => this.#stand(kind, value));
    let kept = this.#people(this.secrets(stringless));
    for (const pattern of IN_LOG)
      kept = kept.replace(pattern, (found, before: string, value: string) => {
        if (/^'?\[\w+ \d+\]'?$/.test(value)) return found;
        const quote = value.startsWith("'") ? "'" : '';
        return `${before}${quote}${this.#stand('value', value)}${quote}`;
      });
    return withoutLiterals(kept, (kind, value) => this.#stand(kind, value));
  }

  /** A text of any kind: JSON as a whole or in lines of its own, statements, prose. */
  text(text: string, depth = 0): string {
    const whole = this.#json(text, depth);
    if (whole !== undefined) return whole;
    const said = depth > MOST_NESTED ? undefined : inBase64(text);
    if (said !== undefined) {
      const kept = this.text(said, depth + 1);
      return kept === said ? text : Buffer.from(kept, 'utf8').toString('base64');
    }
    if (!/(?:^[^\S\n]{0,64}|\t {0,4})[[{]/m.test(text)) return this.#plain(text);
    // Lines that are JSON stand within marks; the prose around them is masked as one text.
    const out: string[] = [];
    let prose: string[] = [];
    const flush = () => {
      if (prose.length > 0) out.push(this.#plain(prose.join('\n')));
      prose = [];
    };
    for (const line of text.split('\n')) {
      const json = this.#json(line, depth);
      if (json === undefined) prose.push(this.#cells(line, depth));
      else {
        flush();
        out.push(json);
      }
    }
    flush();
    return out.join('\n');
  }

  /** A row of a table with the cells masked that are JSON. */
  #cells(line: string, depth: number): string {
    if (!/\t {0,4}[[{]|^\s{0,64}[[{][^\t]*\t/.test(line)) return line;
    return line
      .split('\t')
      .map((cell) => this.#json(cell, depth) ?? cell)
      .join('\t');
  }

  #json(text: string, depth: number): string | undefined {
    if (depth > MOST_NESTED || text.length > MOST_JSON || !/^\s*[[{]/.test(text)) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return undefined;
    }
    const before = this.#known.size;
    const kept = this.value(value, depth + 1);
    const isSame = this.#known.size === before && JSON.stringify(kept) === JSON.stringify(value);
    return isSame && stringsIn(text) === stringsIn(JSON.stringify(value)) ? text : inert(kept);
  }

  #member(name: string, value: unknown, { level, depth }: { level: number; depth: number }): unknown {
    const isText = typeof value === 'string';
    if (isText && isSecretName(name) && !saysNothing(value)) return this.#stand('secret', value);
    if (isText && this.#settings.mask_addresses && CLIENT_NAME.test(name) && !NOBODYS.test(value))
      return value === '' ? value : this.#stand('address', value);
    if (IN_PLAN.test(name)) return this.#condition(value);
    if (typeof value === 'object' && isSecretName(name)) return this.#hidden(value, level);
    if (typeof value === 'number' && PASSWORD.test(name)) return this.#stand('secret', String(value));
    return this.value(value, depth, level + 1);
  }

  #condition(value: unknown): unknown {
    if (Array.isArray(value))
      return value.map((one) => (typeof one === 'string' ? this.#condition(one) : this.value(one)));
    if (typeof value !== 'string') return this.value(value);
    return expressionWithoutLiterals(this.#plain(value), (kind, found) => this.#stand(kind, found));
  }

  /** Every text within what a secret's name stands for. */
  #hidden(value: unknown, level: number): unknown {
    if (typeof value === 'string') return saysNothing(value) ? value : this.#stand('secret', value);
    if (typeof value !== 'object' || value === null) return value;
    if (level > DEEPEST) return this.#stand('value', 'nested too deeply');
    if (Array.isArray(value)) return value.map((one) => this.#hidden(one, level + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [this.#plain(key), this.#hidden(one, level + 1)]),
    );
  }

  /** Rows of cells, with the names of their columns where they are known. */
  #row(
    cells: readonly unknown[],
    columns: ReturnType<typeof columnsOf>,
    [depth, level]: [number, number],
  ): unknown[] {
    const secret = secretCells(cells, columns);
    return cells.map((one, at) =>
      secret.has(at) && typeof one !== 'boolean' && typeof one !== 'number'
        ? this.#hidden(one, level)
        : this.value(one, depth, level + 1),
    );
  }

  /** Of parsed JSON; values of settings are told by the name that stands beside them. */
  value(value: unknown, depth = 0, level = 0): unknown {
    if (typeof value === 'string') return this.text(value, depth);
    if (typeof value !== 'object' || value === null) return value;
    if (level > DEEPEST) return this.#stand('value', 'nested too deeply');
    if (Array.isArray(value)) return this.#row(value, NO_COLUMNS, [depth, level]);
    const entries = Object.entries(value);
    const name = entries.find(([key]) => /^(?:name|setting_name|parameter|key)$/.test(key))?.[1];
    const isSecret = typeof name === 'string' && isSecretName(name);
    const names = entries.find(([key]) => key === 'columns')?.[1];
    const columns = Array.isArray(names)
      ? columnsOf(names.map((one) => (typeof one === 'object' ? Object(one).name : one)))
      : undefined;
    return Object.fromEntries(
      entries.map(([key, one]) => {
        const isValue =
          /^(?:setting|value|values|reset_val|boot_val|old_value|new_value|current|previous)$/.test(key);
        if (isSecret && isValue && typeof one === 'string' && !saysNothing(one))
          return [key, this.#stand('secret', one)];
        if (key === 'rows' && columns && Array.isArray(one))
          return [
            key,
            one.map((row) =>
              Array.isArray(row)
                ? this.#row(row, columns, [depth, level + 1])
                : this.value(row, depth, level + 2),
            ),
          ];
        return [this.#plain(key), this.#member(key, one, { level, depth })];
      }),
    );
  }
}
