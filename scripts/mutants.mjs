// npm run mutants: breaks each guard of access in a copy of the server, one at a time, and runs the tests that must
// notice. Prints what was caught and what survived; exit code 1 when anything did. `-- <words>` runs those whose name
// has these words. Takes a while (some ten seconds each), so it is no part of npm test.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { ensureInstalled } from './lib/install.mjs';
import { mutants } from './lib/mutants.mjs';
import { at, installedRuntime, requireNode } from './lib/paths.mjs';
import { leaveOnSignals, run } from './lib/run.mjs';

const COPIED = ['server', 'scripts', 'package.json', 'vitest.config.ts', 'tsconfig.base.json'];
/** A mutant that does not even run proves nothing. */
const BROKEN = /Transform failed|PARSE_ERROR|SyntaxError|syntax error at or near|Failed Suites/;
const FAILED = /Tests .*failed/;

/** A place of its own, so that nobody who edits meanwhile sees a broken guard. */
function makeCopy() {
  const copy = mkdtempSync(path.join(tmpdir(), 'matriarch-mutants-'));
  for (const name of COPIED) cpSync(at(name), path.join(copy, name), { recursive: true });
  symlinkSync(at('node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

function apply(copy, edits) {
  const before = new Map();
  for (const { file, search, replace } of edits) {
    const target = path.join(copy, file);
    const text = readFileSync(target, 'utf8');
    if (!before.has(target)) before.set(target, text);
    writeFileSync(
      target,
      text.replace(search, () => replace),
    );
  }
  return () => {
    for (const [target, text] of before) writeFileSync(target, text);
  };
}

function vitest(copy, { file, only }) {
  const kind = /\.(unit|kit|proof)\.test\.ts$/.exec(file)?.[1] ?? 'db';
  // Both tiers have a share of a kit: a guard may be tried in one of them alone.
  const projects = kind === 'kit' ? ['db', 'proof'] : [kind];
  const chosen = only ? ['-t', only] : [];
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--bail',
    '1',
    ...projects.flatMap((name) => ['--project', name]),
    file,
    ...chosen,
  ];
  return run(installedRuntime(), args, { cwd: copy, capture: true });
}

/** `caught by …`, `survived` or `broken`. */
async function judge(copy, { edits, tests }) {
  const undo = apply(copy, edits);
  try {
    for (const test of tests) {
      const { code, output } = await vitest(copy, test);
      const plain = stripVTControlCharacters(output);
      if (code === 0) continue;
      if (BROKEN.test(plain) || !FAILED.test(plain)) return { verdict: 'broken', by: plain.slice(-3000) };
      return { verdict: 'caught', by: path.basename(test.file) };
    }
    return { verdict: 'survived', by: '' };
  } finally {
    undo();
  }
}

/** Without any mutant all of them must pass, or being caught would mean nothing. */
async function demandGreen(copy, chosen) {
  const tests = new Map(
    chosen.flatMap((mutant) => mutant.tests.map((test) => [`${test.file} ${test.only ?? ''}`, test])),
  );
  for (const [name, test] of tests) {
    const { code, output } = await vitest(copy, test);
    if (code === 0) continue;
    process.stdout.write(`${output}\n`);
    throw new Error(`${name} fails without any mutant`);
  }
}

requireNode();
await ensureInstalled({ dev: true });
leaveOnSignals();
const words = process.argv.slice(2).filter((word) => word !== '--fast');
const chosen = mutants.filter(({ what }) => words.every((word) => what.includes(word)));
const copy = makeCopy();
const counts = { caught: 0, survived: 0, broken: 0 };
try {
  // --fast trusts that the tests are green.
  if (!process.argv.includes('--fast')) await demandGreen(copy, chosen);
  for (const mutant of chosen) {
    const began = performance.now();
    const { verdict, by } = await judge(copy, mutant);
    counts[verdict] += 1;
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    process.stdout.write(
      `${verdict.padEnd(8)} ${mutant.what} (${seconds} s) ${verdict === 'broken' ? `\n${by}` : by}\n`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(
  `${chosen.length} mutants: ${counts.caught} caught, ${counts.survived} survived, ${counts.broken} broken\n`,
);
process.exitCode = counts.survived + counts.broken > 0 ? 1 : 0;
