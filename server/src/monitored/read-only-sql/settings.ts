// Secrets of a server that some roles may read: a statement sees them masked. Guards: whatever would read one in another way than through
// our definition (masks.ts) is refused while there is a secret.
import { append } from '../../kernel/lists.ts';
import type { ParsedStatement, Relation } from '../../kernel/parser/types.ts';
import { attributesOf, CHANGES, type JudgedStatement } from './judge.ts';
import {
  COLUMNS,
  EXTENSION_SCHEMA,
  hasSecrets,
  MASKS,
  type Mask,
  maskedQuery,
  qualifiedName,
  SECRET_SETTINGS,
  type Source,
} from './masks.ts';
import { StatementRefused } from './types.ts';

/** A call whose argument is a plain constant. */
const CONSTANT = /^(?:pg_catalog\s*\.\s*)?"?current_setting"?\s*\(\s*'([A-Za-z0-9_.]+)'\s*[,)]/;
const SHOWN = /^\s*show\s+([a-z0-9_.]+)\s*;?\s*$/i;

const named = ({ parts }: { parts: readonly string[] }) => parts.at(-1) ?? '';
/** As a function, or as `(e).f`. */
const calls = (statement: ParsedStatement, names: readonly string[]): boolean =>
  statement.uses.some((use) => use.of === 'function' && names.includes(named(use))) ||
  attributesOf(statement).some((name) => names.includes(name));

const refuse = (what: string): never => {
  throw new StatementRefused(
    'not_allowed',
    `This server holds secrets that its role may read, so they are shown masked: ${what}`,
  );
};

const refuseSetting = (): never => {
  throw new StatementRefused(
    'not_allowed',
    "Give current_setting the name of a setting as a constant, such as current_setting('work_mem').",
  );
};

/** A definition behind what a statement names. */
export interface Definition {
  readonly relation: string;
  readonly text: string;
  /** It came with an extension, and not from whoever took a name of one. */
  readonly isOfExtension: boolean;
}

const mentions = ({ text }: Definition, names: readonly string[]) =>
  names.some((name) => new RegExp(`\\b${name}\\b`, 'i').test(text));

/** Whether what stands behind it shows what the mask masks, or a setting by its name. */
const isBehind = ({ relation, functions, in: place }: Mask, definitions: readonly Definition[]) =>
  definitions.some(
    (one) =>
      !(place === 'extension' && one.relation === relation && one.isOfExtension) &&
      mentions(one, [relation, ...functions]),
  );

/** Names of the settings that are asked for as constants, in small letters. Throws StatementRefused where they cannot be told. */
function settingsNamed(text: string, { statement, kind }: JudgedStatement): string[] {
  if (kind === 'show') return [SHOWN.exec(text)?.[1]?.toLowerCase() ?? 'all'];
  const bytes = Buffer.from(text);
  if (attributesOf(statement).includes('current_setting')) refuseSetting();
  return statement.uses
    .filter((use) => use.of === 'function' && named(use) === 'current_setting')
    .map(({ at }) => {
      const found = CONSTANT.exec(bytes.subarray(at).toString('utf8'))?.[1];
      if (found !== undefined) return found.toLowerCase();
      return refuseSetting();
    });
}

export interface ToMask {
  readonly text: string;
  readonly judged: JudgedStatement;
  /** Behind what it names, those of the system left out. */
  readonly definitions: readonly Definition[];
  /** The schema of a relation by the name that is written. */
  readonly schemaOf: (schema: string | null, name: string) => string | undefined;
  readonly query: (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;
}

/** Settings that are asked for by name, of the statement or of what stands behind it. */
async function demandSettings({ text, judged, definitions, query }: ToMask): Promise<void> {
  const asked = settingsNamed(text, judged);
  const isHidden = definitions.some((one) => mentions(one, ['current_setting']));
  if (asked.length === 0 && !isHidden) return;
  const found = await query(SECRET_SETTINGS, [asked]);
  if (found.length === 0) return;
  const secrets = new Set(found.map(({ name }) => String(name)));
  if (isHidden) refuse('read pg_settings itself rather than a view over settings.');
  if (asked.some((name) => name === 'all' || secrets.has(name)))
    refuse('select name, setting from pg_settings instead.');
}

interface Read {
  readonly mask: Mask;
  /** Where it may be named; of an extension's, a relation of the same name elsewhere is not the one. */
  readonly named: readonly Relation[];
  /** It is read in another way: by a function, or behind a view. */
  readonly isOther: boolean;
}

/** How the statement reads what the mask masks; undefined: it does not. */
function readOf({ judged: { statement }, definitions, schemaOf }: ToMask, mask: Mask): Read | undefined {
  const isOf = (schema: string | undefined) =>
    mask.in === 'extension' ? schema !== undefined : schema === mask.in;
  const own = statement.relations.filter(
    ({ name, isWith, schema }) => name === mask.relation && !isWith && isOf(schemaOf(schema, name)),
  );
  const isOther = calls(statement, mask.functions) || isBehind(mask, definitions);
  if (own.length === 0 && !isOther) return undefined;
  return { mask, named: isOther ? [] : own, isOther };
}

async function sourceOf({ query }: ToMask, mask: Mask): Promise<[Source, string[]] | undefined> {
  const [found] = mask.in === 'extension' ? await query(EXTENSION_SCHEMA, [mask.relation]) : [];
  const place = mask.in === 'extension' ? found?.schema : mask.in;
  if (typeof place !== 'string') return undefined;
  const source = { schema: place, mask };
  const columns = await query(COLUMNS, [qualifiedName(source)]);
  return columns.length === 0 ? undefined : [source, columns.map(({ name }) => String(name))];
}

interface Masked {
  /** Queries that stand in the place of relations. */
  readonly queries: string[];
  /** Parts of the text, in bytes, that name the schema of such a relation. */
  readonly schemas: [from: number, to: number][];
}

/** Where the name of the schema stands. Throws StatementRefused where that is not understood. */
function schemaAt({ text }: ToMask, { schema, name, at }: Relation): [number, number][] {
  if (schema === null) return [];
  const there = Buffer.from(text).subarray(at).toString('utf8');
  const written = /^(?:"([^"]+)"|([\w$]+))\s*\.\s*/.exec(there);
  const hasOwnWith = new RegExp(`\\b${name}"?\\s*(?:\\([^)]*\\)\\s*)?as\\b`, 'i').test(text);
  if (!written || (written[1] ?? written[2]?.toLowerCase()) !== schema || hasOwnWith)
    refuse(`write ${name} without its schema before it.`);
  return [[at, at + Buffer.byteLength(written?.[0] ?? '')]];
}

/** Nothing where there is no secret in it. Throws StatementRefused. */
async function maskOne(wanted: ToMask, read: Read, masked: Masked): Promise<void> {
  const found = await sourceOf(wanted, read.mask);
  if (!found) return;
  const [source, columns] = found;
  const { relation, isAlways } = read.mask;
  const { kind } = wanted.judged;
  const named = read.named.filter((one) => wanted.schemaOf(one.schema, one.name) === source.schema);
  if (named.length === 0 && !read.isOther) return;
  const canShadow = kind === 'select' && named.length > 0;
  if (!(canShadow && isAlways)) {
    const [row] = await wanted.query(hasSecrets(source));
    if (row?.found !== true) return;
  }
  if (named.length === 0) refuse(`read ${relation} itself rather than a function or a view over it.`);
  if (!canShadow) refuse('explain the statement by the tool for it.');
  masked.queries.push(maskedQuery(source, columns));
  for (const one of named) append(masked.schemas, schemaAt(wanted, one));
}

/** The text with blanks in these places: what stands behind them stays where it is. */
function blanked(text: string, places: Masked['schemas']): string {
  const bytes = Buffer.from(text);
  for (const [from, to] of places) bytes.fill(' ', from, to);
  return bytes.toString('utf8');
}

/** The text as it may be sent, made by `place` of the statement's own text. Throws StatementRefused. */
export async function withoutSecrets(wanted: ToMask, place: (text: string) => string): Promise<string> {
  const { judged, text } = wanted;
  await demandSettings(wanted);
  if (judged.kind === 'show') return place(text);
  const masked: Masked = { queries: [], schemas: [] };
  for (const mask of MASKS) {
    const read = readOf(wanted, mask);
    // What only a plan is made of is not run.
    if (read && CHANGES.has(judged.statement.root)) continue;
    if (read) await maskOne(wanted, read, masked);
  }
  const sent = place(blanked(text, masked.schemas));
  if (masked.queries.length === 0) return sent;
  const bare = sent.replace(/(?<![\s;])[\s;]+$/, '');
  // A statement may begin with one `with` only.
  const placed = /\bwith\b/i.test(sent) ? `select * from (${bare}\n) as read` : `(${bare}\n)`;
  return `with ${masked.queries.join(',\n')}\n${placed}`;
}
