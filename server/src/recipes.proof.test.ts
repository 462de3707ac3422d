// The recipes and the templates of `npm run new` are code that people copy: all of it is compiled here, against the
// real sources, in a folder that TypeScript merges with server/src.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const templates = path.join(root, 'scripts/templates');
const WORKSPACES = ['server', 'web'] as const;
/** A folder in each workspace, which TypeScript merges with its sources. */
const folders = new Map<string, string>();
beforeAll(() => {
  for (const name of WORKSPACES) folders.set(name, mkdtempSync(path.join(root, name, '.recipes-')));
});
afterAll(() => {
  for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
});

const FORMS: Record<string, string> = {
  kebab: 'sample-thing',
  snake: 'sample_thing',
  camel: 'sampleThing',
  pascal: 'SampleThing',
  words: 'sample thing',
  title: 'Sample thing',
  path: "'sample', 'thing'",
  number: '0000',
  privilege: '9999',
  wing: 'estate',
};
const fill = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_match, form: string) => FORMS[form] ?? '');

interface Source {
  file: string;
  text: string;
}

function recipeSources(): Source[] {
  const recipes = path.join(root, 'docs/recipes');
  return readdirSync(recipes).flatMap((name) =>
    [...readFileSync(path.join(recipes, name), 'utf8').matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(
      ([, file = '', text = '']) => ({ file, text }),
    ),
  );
}

function templateSources(): Source[] {
  return readdirSync(templates).flatMap((kind) =>
    readdirSync(path.join(templates, kind), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.tmpl'))
      .map((name) => ({
        file: fill(name.slice(0, -'.tmpl'.length)),
        text: fill(readFileSync(path.join(templates, kind, name), 'utf8')),
      })),
  );
}

function compile(workspace: string, sources: readonly Source[]): string {
  const folder = folders.get(workspace) ?? expect.fail(workspace);
  for (const { file, text } of sources) {
    const target = path.join(folder, file.slice(workspace.length + 1));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const config = {
    extends: '../tsconfig.json',
    compilerOptions: { rootDirs: ['../src', './src'] },
    include: ['src', '../src/**/*.d.ts'],
  };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  return status === 0 ? '' : stdout || `status ${status}`;
}

it.each(WORKSPACES)(
  'compiles every recipe and every template of the %s against the sources',
  (workspace) => {
    const all = [...recipeSources(), ...templateSources()];
    const sources = all.filter(({ file }) => file.startsWith(`${workspace}/`) && /\.tsx?$/.test(file));
    expect(sources.length).toBeGreaterThanOrEqual(workspace === 'server' ? 16 : 1);
    expect(compile(workspace, sources)).toBe('');
  },
  240_000,
);
