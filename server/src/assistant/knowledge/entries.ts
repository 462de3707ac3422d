// What the knowledge base knows: one entry for each parameter, wait event, view and error code of PostgreSQL, of facts that were read from
// servers (facts/, written by `node scripts/knowledge.mjs`) and of texts of our own (texts/). Guards: a text that is about nothing is an
// error, so that none is left behind by a rename.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorEntries } from './of-errors.ts';
import { parameterEntries } from './of-parameters.ts';
import { viewEntries } from './of-views.ts';
import { waitEntries } from './of-waits.ts';
import type { Entry, Row, Sources, Texts } from './types.ts';

const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8');

/** As they are written in that file of facts. */
export function factRows(file: string): Row[] {
  const [head = '', ...lines] = read(`facts/${file}.tsv`).split('\n');
  const names = head.split('\t');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const cells = line.split('\t');
      return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
    });
}

/** Lines such as `work_mem: What it is.` */
function textsOf(file: string): Texts {
  const lines = read(`texts/${file}.txt`).split('\n');
  return new Map(
    lines
      .filter((line) => line !== '')
      .map((line) => {
        const end = line.indexOf(': ');
        return [line.slice(0, end), line.slice(end + 2)];
      }),
  );
}

const KINDS: readonly (readonly [string, (sources: Sources) => Entry[]])[] = [
  ['parameters', parameterEntries],
  ['wait-events', waitEntries],
  ['views', viewEntries],
  ['errors', errorEntries],
];

function load(): readonly Entry[] {
  return KINDS.flatMap(([file, make]) => {
    const texts = textsOf(file);
    const used = new Set<string>();
    const textOf = (key: string) => {
      used.add(key);
      return texts.get(key);
    };
    const entries = make({ rows: factRows(file), textOf });
    const unused = [...texts.keys()].filter((key) => !used.has(key));
    if (unused.length > 0)
      throw new Error(`texts/${file}.txt explains what there is not: ${unused.join(', ')}`);
    return entries;
  });
}

let loaded: readonly Entry[] | undefined;

/** All of them, read from the disk at the first call. */
export function knowledgeEntries(): readonly Entry[] {
  loaded ??= load();
  return loaded;
}
