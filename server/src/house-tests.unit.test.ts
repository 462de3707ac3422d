// Rules of the tests: the everyday run waits for nothing, and a test loads the rooms that it names.
import { expect, it } from 'vitest';
import { SECOND_MS } from './kernel/units.ts';
import { readSource, type SourceFile } from './testing/source-files.ts';

const tests = readSource().filter(({ path }) => path.endsWith('.test.ts'));
const everyday = tests.filter(({ path }) => !/\.(proof|faults|eval)\.test\.ts$/.test(path));

/** A pause: `await sleep(1500)`, `setTimeout(done, 2_000)`. What a race may take at most is none. */
const PAUSES = /\b(?:await sleep\(\s*|setTimeout\([^;]*?,\s*)(\d[\d_]*)\s*[,)]/g;

const pausesOf = ({ code }: Pick<SourceFile, 'code'>): string[] =>
  [...code.matchAll(PAUSES)]
    .filter(([, ms = '']) => Number(ms.replaceAll('_', '')) > SECOND_MS)
    .map(([pause]) => pause);

/** Rooms whose operations use most others. */
const MAY_LOAD_ALL =
  /^(?:api|app|cli)\/|^house|^upgrade\.proof|^collector\/secret-redact\.|^history\/metrics\/(?:odd-windows|frozen-reads)\.|^assistant\/(?:ai-runs|chat|llm|mcp|tools)\/|^insight\/overview\//;

it('the everyday run does not sleep: a test that needs real seconds is a proof (*.proof.test.ts)', () => {
  const asleep = everyday.flatMap((file) => pausesOf(file).map((pause) => `${file.path}: ${pause}`));
  expect(asleep).toEqual([]);
});

it('notices a pause of more than a second', () => {
  const code =
    'await sleep(1500); setTimeout(() => go(), 2_000); await sleep(1000); Promise.race([done, sleep(5000)]);';
  expect(pausesOf({ code })).toEqual(['await sleep(1500)', 'setTimeout(() => go(), 2_000)']);
});

it('a test of a room names the rooms that it needs (testing/rooms/), so that it is run when one of these changes', () => {
  const whole = tests.filter(
    ({ path, imports }) =>
      !MAY_LOAD_ALL.test(path) &&
      imports.some(({ target }) => target === 'testing/rooms/whole.ts' || target === 'app/routes.ts'),
  );
  expect(whole.map(({ path }) => path)).toEqual([]);
});
