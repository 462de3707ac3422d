// The reference page of checks. Guards: what a check can say and what it shows as remedy are looked up in its source, and what proves
// it in the scenes themselves, so that the page cannot promise what is not there.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DOCUMENTATION } from '../../insight/checks/report.ts';
import type { Check } from '../../insight/checks/types.ts';
import { type Artifact, SOURCE } from './artifact.ts';
import { scenesOf as scenesIn } from './catalogs.ts';

const CHECKS = 'insight/checks';
const SEVERITIES = ['info', 'warning', 'critical'];
/** What every check uses; nothing of one check stands in it. */
const SHARED = ['facts', 'judge', 'types', 'units', 'remedies', 'report'];

const REMEDIES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['setting', /settingRemedy|byReload|byRestart|alter system/],
  [
    'SQL',
    /[`'"\n](?:-- [^\n`]*\\n)?(?:\$\{\w+\} )?(?:vacuum|analyze|reindex|drop|create|revoke|alter (?!system)|select pg_(?!reload))|endSession\(/,
  ],
  ['on the machine', /pg_ctl|pg_checksums|pg_hba|PgBouncer|packages of the machine/],
];

/** The text of each file of a folder, by its stem. */
async function sourcesOf(folder: string): Promise<Map<string, string>> {
  const directory = path.join(SOURCE, folder);
  const names = (await readdir(directory)).filter((name) => /^[a-z0-9-]+\.ts$/.test(name)).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(path.join(directory, name), 'utf8')));
  return new Map(names.map((name, index) => [name.slice(0, -3), texts[index] ?? '']));
}

export interface CheckSources {
  /** Of the folder of checks. */
  readonly findings: ReadonlyMap<string, string>;
  readonly scenes: ReadonlyMap<string, string>;
  readonly rules: ReadonlyMap<string, string>;
}

export const readCheckSources = async (): Promise<CheckSources> => ({
  findings: await sourcesOf(CHECKS),
  scenes: await scenesIn(CHECKS),
  rules: await sourcesOf('alerting/rules'),
});

const withoutComments = (source: string) => source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** Of the check's own file, or where that says nothing, of its helpers and of the rule whose severity it takes over. */
function lookedUp(
  stem: string,
  { findings, rules }: CheckSources,
  look: (source: string) => string[],
): string[] {
  const own = withoutComments(findings.get(stem) ?? '');
  const found = look(own);
  if (found.length > 0) return found;
  const named = (pattern: RegExp) => [...own.matchAll(pattern)].map(([, name = '']) => name);
  const helpers = named(/from '\.\/([a-z-]+)\.ts'/g).filter((name) => !SHARED.includes(name));
  const texts = [
    ...helpers.map((name) => findings.get(name) ?? ''),
    ...named(/from '\.\.\/rules\/([a-z0-9-]+)\.ts'/g).map((name) => rules.get(name) ?? ''),
  ];
  return look(withoutComments(texts.join('\n')));
}

const severitiesIn = (source: string) => SEVERITIES.filter((word) => source.includes(`'${word}'`));
const remediesIn = (source: string) =>
  REMEDIES.flatMap(([kind, pattern]) => (pattern.test(source) ? [kind] : []));

/** Scenes with what they are played on: the parts of a file from one `check: '…'` to the next. */
function scenesOf(name: string, scenes: ReadonlyMap<string, string>): { file: string; isFed: boolean }[] {
  return [...scenes].flatMap(([file, text]) =>
    text
      .split(/(?=\bcheck: ')/)
      .filter((part) => part.startsWith(`check: '${name}'`))
      .map((part) => ({ file, isFed: /\b(?:feed|later)\b/.test(part) })),
  );
}

function provenBy(name: string, { scenes }: CheckSources): string {
  const own = scenesOf(name, scenes);
  // Scenes that are made by a function name their check where it is called.
  const called = [...scenes].flatMap(([file, text]) => (text.includes(`'${name}'`) ? [file] : []));
  const files = [...new Set(own.length > 0 ? own.map(({ file }) => file) : called)];
  const links = files.map((file) => `[${file}](../../server/src/${CHECKS}/${file}.scene.ts)`).join(', ');
  const fed = own.filter(({ isFed }) => isFed).length;
  if (links === '') return '[kit](../../server/src/insight/findings/check.kit.test.ts)';
  if (fed === 0) return links;
  return `${links}, ${fed === own.length ? 'fed' : 'in part fed'}`;
}

const listed = (words: readonly string[], none: string) => (words.length === 0 ? none : words.join(', '));
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function row(check: Check, sources: CheckSources): string {
  const stem = check.name.replaceAll('_', '-');
  const cells = [
    `\`${check.name}\``,
    `**${cell(check.title)}.** ${cell(check.meaning)}`,
    listed(lookedUp(stem, sources, severitiesIn), '–'),
    check.figureAfter ? `${check.proof}, then confirmed` : check.proof,
    listed(lookedUp(stem, sources, remediesIn), 'what to look at'),
    `[${cell(check.source)}](${DOCUMENTATION}${check.source})`,
    provenBy(check.name, sources),
  ];
  return `| ${cells.join(' | ')} |`;
}

export function checkReference(checks: readonly Check[], sources: CheckSources): Artifact {
  const ordered = checks.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const byCategory = Map.groupBy(ordered, ({ category }) => category);
  const categories = [...byCategory].toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  const lines = [
    '# Checks',
    '',
    `Generated by \`npm run gen\` from \`server/src/insight/checks/\`: ${checks.length} checks. How grave a finding is follows from its figures; the`,
    'severities are those that the check can say. Proof: *stated* by the server, *measured* over a time, *tried* on the server, and',
    '*confirmed* where the figure moved after the remedy as it was promised to. Each check is proven by the',
    '[kit](../../server/src/insight/findings/check.kit.test.ts) on real servers, PostgreSQL 14 to 18: silent before, found with its figure, the',
    'remedy applied as it is shown, gone after, and unknown with a reason where its probes could not be read. *Fed*: rows of a real server',
    'that a test has changed, where no server can be brought there in a test, such as months of time.',
    ...categories.flatMap(([category, own]) => [
      '',
      `## ${category}`,
      '',
      '| check | finding | severities | proof | remedy | source | scenes |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      ...own.map((check) => row(check, sources)),
    ]),
    '',
  ];
  return { path: 'docs/reference/checks.md', text: lines.join('\n') };
}
