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

it('what documents and the pages of wings name as a file of the project is there, or is what a recipe lays', () => {
  const sources = readdirSync(path.join(ROOT, 'server/src'), { recursive: true, encoding: 'utf8' });
  const isThere = (file: string) =>
    existsSync(path.join(ROOT, file)) || sources.some((one) => `/${one}`.endsWith(`/${file}`));
  const pages = sources.filter((file) => /^\w+\/README\.md$/.test(file)).map((file) => `server/src/${file}`);
  const documents = [
    ...['README.md', 'CONTRIBUTING.md'],
    ...['docs', 'docs/recipes'].flatMap(inFolder),
    ...pages,
  ];
  const broken = documents.flatMap((document) => {
    const text = readFileSync(path.join(ROOT, document), 'utf8');
    const laid = new Set(
      [...text.matchAll(/^\/\/ (\S+\.tsx?)$|lays `([^`]+)`/gm)].map(([, own, said = '']) => own ?? said),
    );
    const inProject = [...text.matchAll(/`((?:server|web|docs|scripts|e2e)\/[\w./-]+\.\w+)`/g)];
    const beside = pages.includes(document) ? [...text.matchAll(/(?<![\w./*-])\w[\w./-]*\.tsx?\b/g)] : [];
    return [...inProject.map(([, file = '']) => file), ...beside.map(([file]) => file)]
      .filter((file) => !laid.has(file) && !file.startsWith('server/dist/') && !isThere(file))
      .map((file) => `${document}: ${file}`);
  });
  expect(broken).toEqual([]);
});

it('recipes and templates import of other wings only their faces, contracts and schemas', () => {
  const templates = readdirSync(path.join(ROOT, 'scripts/templates'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tmpl'))
    .map((file) => `scripts/templates/${file}`);
  const wings = 'identity|history|estate|alerting|insight|assistant';
  const imports = new RegExp(`from '(?:\\.\\./)+((?:${wings})/[^']+)'`, 'g');
  const found = [...inFolder('docs/recipes'), ...templates].flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(imports)].map(([, target = '']) => ({
      file,
      target,
    })),
  );
  expect(found.length).toBeGreaterThan(3);
  expect(found.filter(({ target }) => !/^(\w+)\/\1\.ts$|\.(?:contract|schemas)\.ts$/.test(target))).toEqual(
    [],
  );
});

it('README.md has a picture, three sentences, two commands, what it does not do and how to run it for good, in 140 lines', () => {
  const text = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  const [first = ''] = text.split('\n![');
  expect(first.replace(/^# .*\n/, '').match(/[.](?=\s|$)/g)).toHaveLength(3);
  expect(text).toMatch(/!\[[^\]]+\]\(docs\/images\/[\w-]+\.png\)/);
  expect(text).toContain('**What it does not do**');
  const commands = /^## Two commands\n[\s\S]*?```sh\n([\s\S]*?)```/m.exec(text)?.[1] ?? '';
  expect(commands.trim().split('\n')).toHaveLength(2);
  expect(text).toMatch(/^## Run it for good$/m);
  expect(linesOf('README.md')).toBeLessThanOrEqual(140);
});

it('the tests that the walk through ASVS names are there, and each row names one or says that there is nothing to test', () => {
  const text = readFileSync(path.join(ROOT, 'docs/reference/asvs.md'), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| \d/.test(line));
  const shown = rows.map((row) => row.split(' | ').at(-1) ?? '');
  const silent = rows.filter((_row, n) => !/`|^there is no |^– /.test(shown[n] ?? ''));
  const named = shown.flatMap((text) =>
    [...text.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) => file),
  );
  const missing = named.filter(
    (file) => !existsSync(path.join(ROOT, file.includes('/') ? '' : 'server/src/identity/auth', file)),
  );
  expect(named.length).toBeGreaterThan(40);
  expect({ silent, missing }).toEqual({ silent: [], missing: [] });
});
