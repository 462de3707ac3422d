// npm run new <kind> <name>: lays the files of a new probe, room, host source, provider, channel, command, migration, page, check,
// rule, tool, event class or plan advice.
//
// A template is a tree below scripts/templates/<kind>/ whose paths are those from the root of the project, each file
// with .tmpl behind its name. In paths and in texts {{kebab}}, {{snake}}, {{camel}}, {{pascal}}, {{words}}, {{title}} and
// {{path}} stand for the name: pg-stat-slru, pg_stat_slru, pgStatSlru, PgStatSlru, pg stat slru, Pg stat slru, and
// 'pg', 'stat', 'slru'. {{number}} is that of the next migration, {{privilege}} that of the next tool, and {{wing}} what stands
// before the name of a room or a page: npm run new room estate/herd-notes.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { at, fail, requireNode } from './lib/paths.mjs';

const TEMPLATES = at('scripts', 'templates');
const ENDING = '.tmpl';
const WINGS = ['identity', 'history', 'estate', 'alerting', 'insight', 'assistant'];

function nextMigration() {
  const numbers = readdirSync(at('server', 'migrations')).map((file) => Number.parseInt(file, 10) || 0);
  return String(Math.max(0, ...numbers) + 1).padStart(4, '0');
}

function nextPrivilege() {
  const known = readFileSync(at('server', 'src', 'identity', 'access', 'mcp-privileges.gen.ts'), 'utf8');
  let newest = 0;
  for (const [, id] of known.matchAll(/\bid: (\d+)/g)) newest = Math.max(newest, Number(id));
  return String(newest + 1);
}

function forms(asked) {
  const [wing, name] = asked.includes('/') ? asked.split('/') : ['', asked];
  const words = name.split(/[-_]/);
  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  const pascal = words.map(capital).join('');
  return {
    kebab: words.join('-'),
    snake: words.join('_'),
    camel: pascal[0].toLowerCase() + pascal.slice(1),
    pascal,
    words: words.join(' '),
    title: capital(words.join(' ')),
    path: words.map((word) => `'${word}'`).join(', '),
    number: nextMigration(),
    privilege: nextPrivilege(),
    wing,
  };
}

function fill(text, values) {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, key) => {
    if (!(key in values)) throw new Error(`unknown placeholder ${placeholder}`);
    return values[key];
  });
}

function kinds() {
  if (!existsSync(TEMPLATES)) return [];
  return readdirSync(TEMPLATES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

function lay(kind, name) {
  const home = path.join(TEMPLATES, kind);
  const values = forms(name);
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ENDING))
    .map((file) => ({ from: path.join(home, file), to: fill(file.slice(0, -ENDING.length), values) }));
  const taken = files.find(({ to }) => existsSync(at(to)));
  if (taken) fail(`${taken.to} exists already; nothing was written.`);
  for (const { from, to } of files) {
    mkdirSync(path.dirname(at(to)), { recursive: true });
    writeFileSync(at(to), fill(readFileSync(from, 'utf8'), values), { flag: 'wx' });
    console.log(`wrote ${to}`);
  }
  console.log('Next: fill them in, then npm run gen and npm run check.');
}

requireNode();
const [kind, name] = process.argv.slice(2);
if (!kinds().includes(kind))
  fail(`npm run new <kind> <name>, where kind is one of: ${kinds().join(', ') || 'none yet'}.`);
const WORDS = '[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*';
if (kind === 'room' || kind === 'page') {
  if (!new RegExp(`^(?:${WINGS.join('|')})/${WORDS}$`).test(name ?? ''))
    fail(`npm run new ${kind} <wing>/<name>, where wing is one of: ${WINGS.join(', ')}.`);
} else if (!new RegExp(`^${WORDS}$`).test(name ?? '')) {
  fail(`npm run new ${kind} <name>: a name is small letters and digits, words joined by _ or -.`);
}
lay(kind, name);
