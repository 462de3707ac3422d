// Documents stay as short as they have to be, and what they link to is there.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const linesOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8').trimEnd().split('\n').length;
const inFolder = (folder: string) =>
  readdirSync(path.join(ROOT, folder), { encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`);

it('architecture.md has at most 120 lines, the changelog of a version 120, and a decision 40', () => {
  const versions = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## /m).slice(1);
  const long = [
    ...inFolder('docs/decisions').filter((file) => linesOf(file) > 40),
    ...['docs/architecture.md'].filter((file) => linesOf(file) > 120),
    ...versions.filter((text) => text.split('\n').length > 120).map((text) => text.split('\n')[0]),
  ];
  expect(long).toEqual([]);
});

it('what a document links to is there', () => {
  const documents = [
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
    ...['docs', 'docs/decisions', 'docs/recipes', 'docs/reference'].flatMap(inFolder),
  ];
  const broken = documents.flatMap((document) =>
    [...readFileSync(path.join(ROOT, document), 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(path.join(ROOT, path.dirname(document), target)))
      .map((target) => `${document}: ${target}`),
  );
  expect(broken).toEqual([]);
});
