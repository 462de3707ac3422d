// Statements by their names, as figures and as a page of the reference: what is sent, how often, what it takes, why.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { StatementUse } from './footprint-side.ts';
import { reasonOf } from './statement-reasons.ts';

const NAME_LENGTH = 60;
const NAME = /\/\* (\w+\.[\w.]+) \*\//;

export interface NamedUse {
  name: string;
  calls: number;
  ms: number;
}

/** Statements are told apart by their names where they have one. */
const nameOf = (text: string) =>
  (NAME.exec(text)?.[1] ?? text.trim().replace(/\s+/g, ' ')).slice(0, NAME_LENGTH);

/** The most frequent first. */
function byName(use: readonly StatementUse[]): NamedUse[] {
  const known = new Map<string, NamedUse>();
  for (const { text, calls, ms } of use) {
    const name = nameOf(text);
    const one = known.get(name) ?? { name, calls: 0, ms: 0 };
    known.set(name, { name, calls: one.calls + calls, ms: one.ms + ms });
  }
  return [...known.values()].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
}

export function useLines(title: string, use: readonly StatementUse[], per: number): string[] {
  return [
    `  ${title.padEnd(NAME_LENGTH + 2)}${'calls'.padStart(8)}${'ms'.padStart(10)}`,
    ...byName(use).map(
      ({ name, calls, ms }) =>
        `    ${name.padEnd(NAME_LENGTH)}${(calls / per).toFixed(1).padStart(8)}${(ms / per).toFixed(2).padStart(10)}`,
    ),
  ];
}

/** Where each named statement stands. */
function filesByName(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of globSync('server/src/**/*.ts', { cwd: root })) {
    if (/\.test\.ts$|\/(bench|testing)\//.test(file)) continue;
    for (const [, name] of readFileSync(path.join(root, file), 'utf8').matchAll(/\/\* (\w+\.[\w.]+) \*\//g))
      if (name && !found.has(name)) found.set(name, file);
  }
  return found;
}

function placeOf(name: string, files: ReadonlyMap<string, string>): string {
  const probe = /^probe\.(\w+)/.exec(name)?.[1];
  const file = files.get(name) ?? (probe && `server/src/probes/${probe.replaceAll('_', '-')}.ts`);
  return file ? `\`${file}\`` : '';
}

function tableOf(
  use: readonly StatementUse[],
  minutes: number,
  files: ReadonlyMap<string, string>,
): string[] {
  return [
    '| statement | calls a minute | ms a minute | why | text |',
    '| --- | --- | --- | --- | --- |',
    ...byName(use).map(
      ({ name, calls, ms }) =>
        `| \`${name.replaceAll('"', '').split(' (')[0]}\` | ${(calls / minutes).toFixed(1)} | ${(ms / minutes).toFixed(2)} | ${reasonOf(name) ?? '?'} | ${placeOf(name, files)} |`,
    ),
  ];
}

/** The page, in Markdown. */
export function statementsPage(
  root: string,
  use: { datastore: readonly StatementUse[]; servers: readonly StatementUse[] },
  minutes: number,
): string {
  const files = filesByName(root);
  const calls = (all: readonly StatementUse[]) =>
    (all.reduce((sum, one) => sum + one.calls, 0) / minutes).toFixed(0);
  return [
    '# What is sent while nothing happens',
    '',
    `Every statement that a collector with one connection sent in ${minutes.toFixed(0)} minutes, to the server that it watches and to its own`,
    'datastore, with what it takes there by pg_stat_statements. Each statement names itself in a comment, so that the log of a',
    'server tells the same. Written by `npm run bench -- footprint 1 seconds=600 statements write`.',
    '',
    `## On the server that is watched: ${calls(use.servers)} a minute`,
    '',
    ...tableOf(use.servers, minutes, files),
    '',
    `## On the datastore: ${calls(use.datastore)} a minute`,
    '',
    ...tableOf(use.datastore, minutes, files),
    '',
  ].join('\n');
}
