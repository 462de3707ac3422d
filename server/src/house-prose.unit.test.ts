// What the product says anywhere, in the server, on its pages and in its documents, is said without riddles, with the units of
// PostgreSQL. Guards: measured over all texts of the source, so that a new one is held to it as well; comments are not texts.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const RIDDLES =
  /\b(?:[Ww]hoever|[Ss]omebody|[Aa]nybody|[Ee]verybody|what of it|is told|[Aa]s far as is known|stands in the way|made up for|(?:this|it|that) mends|mends (?:it|this|most|\d))\b|\bNobody\b|\bnobody (?:can|has|knows|is|was|uses|reads)\b/;
/** As PostgreSQL prints sizes. */
const FOREIGN_UNITS = /\b(?:KiB|MiB|GiB|TiB)\b/;
/** For programs and their readers: what a contract says of the API may use the units of the standard. */
const OF_CONTRACTS = /\.(?:contract|schemas)\.ts$/;

/** Everything but comments, imports and the markers of regular expressions is a text here or the name of something. */
const proseOf = (source: string): string =>
  source
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/[^\n]*/g, '')
    .replaceAll(/^import\b[^;]*;/gm, '');

const files = ['server/src', 'web/src'].flatMap((root) =>
  readdirSync(path.join(ROOT, root), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.scene\.|\.gen\.|^(?:bench|testing)\//.test(file))
    .map((file) => {
      const text = readFileSync(path.join(ROOT, root, file), 'utf8');
      return { file: `${root}/${file}`, text, prose: proseOf(text) };
    }),
);

const found = (pattern: RegExp, list = files): string[] =>
  list.flatMap(({ file, prose }) =>
    prose.split('\n').flatMap((line) => (pattern.test(line) ? [`${file}: ${line.trim()}`] : [])),
  );

it('says nothing in riddles', () => {
  expect(files.length).toBeGreaterThan(1000);
  expect(found(RIDDLES)).toEqual([]);
});

it('prints sizes in MB and GB', () => {
  expect(
    found(
      FOREIGN_UNITS,
      files.filter(({ file }) => !OF_CONTRACTS.test(file)),
    ),
  ).toEqual([]);
});

/** In comments too. */
const RIDDLES_ANYWHERE = /\b(?:[Ww]hoever calls|[Ww]hat a request is told)\b/;

it('opens no comment with a riddle that was once written everywhere', () => {
  const broken = files.flatMap(({ file, text }) => (RIDDLES_ANYWHERE.test(text) ? [file] : []));
  expect(broken).toEqual([]);
  expect('/** Whoever calls has checked the access. */').toMatch(RIDDLES_ANYWHERE);
});

it.each(["'Whoever sent them'", '>Nobody receives from this server.<', "'It is told of it.'"])(
  'notices %s',
  (line) => expect(line).toMatch(RIDDLES),
);

/** Names of files that say nothing of what is inside. */
const EMPTY_NAMES =
  /\/(?:wanted|asked|told|known|named|found|heard|judged|places?|work|ground|matters|standing|usual|heirs|calm|steady|homes|sight|turn|gathering|together|inquire|measured|gains|words)\.tsx?$/;

it('names files after what is in them', () => {
  expect(files.map(({ file }) => file).filter((file) => EMPTY_NAMES.test(file))).toEqual([]);
  expect('server/src/plans/words.ts').toMatch(EMPTY_NAMES);
});
