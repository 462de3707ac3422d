// Patterns read what servers, logs, models and browsers send. Guards: the time of each stays in line with the length of what it reads, so
// that a line of 100,000 spaces holds nothing up. Patterns that are put together while the program runs are not seen here.
import { parseSync, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';
import { systemClock } from './kernel/clock.ts';
import { readSource } from './testing/source-files.ts';

const PIECES = [
  ...'xX1é_ \n\r\t\u2028.-/\\:,;=*|&@%$<"\'()[{',
  ...[
    ' \n',
    ', ',
    '- ',
    '= ',
    'a ',
    'a.',
    'a,',
    'a=',
    'a&',
    "a'",
    '1,',
    '1:',
    '1.1.',
    '$1',
    '0x',
    'x@x',
    'a:b ',
  ],
  ...['()', '""', "''", '/*', '--', 'as ', 'select '],
];
/** What ends a run keeps a pattern from matching at once. */
const TAILS = ['', '\u0001'];

function took(pattern: RegExp, text: string): number {
  const began = systemClock.monotonic();
  if (pattern.global) text.replace(pattern, '');
  else pattern.test(text);
  return systemClock.monotonic() - began;
}

/** The piece whose repetition takes far more than eight times as long when it is eight times as long; undefined without one. */
function slowPiece(pattern: RegExp): string | undefined {
  return PIECES.find((piece) =>
    TAILS.some((tail) => {
      const textOf = (length: number) => piece.repeat(Math.ceil(length / piece.length)) + tail;
      if (took(pattern, textOf(8000)) < 3) return false;
      const best = (length: number) => Math.min(...[1, 2, 3].map(() => took(pattern, textOf(length))));
      const isSlow = () => {
        const long = best(8000);
        return long > 3 && long / best(1000) > 20;
      };
      // One that is slow is so each time; a busy machine is not.
      return isSlow() && isSlow() && isSlow();
    }),
  );
}

function patternsOf(file: string, text: string): RegExp[] {
  const found: RegExp[] = [];
  const visitor = new Visitor({
    Literal(node) {
      // One that is sticky is tried at one place alone.
      if ('regex' in node && !node.regex.flags.includes('y'))
        found.push(new RegExp(node.regex.pattern, node.regex.flags));
    },
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}

it('reads what is long in time that is in line with its length', { timeout: 120_000 }, () => {
  const server = readSource().filter(
    ({ path: file, isTest }) => !isTest && !/^(?:testing|bench|cli\/gen)\//.test(file),
  );
  const patterns = new Map(
    server.flatMap((file) =>
      patternsOf(file.path, file.text).map((one) => [String(one), { file: file.path, one }]),
    ),
  );
  expect(patterns.size).toBeGreaterThan(900);
  const slow = [...patterns.values()].flatMap(({ file, one }) => {
    const piece = slowPiece(one);
    return piece === undefined ? [] : [`${file}: ${one}, of ${JSON.stringify(piece)}`];
  });
  expect(slow).toEqual([]);
});

it('notices one that begins anew at each sign of a run', () => {
  expect(slowPiece(/\s+$/)).toBe(' ');
  expect(slowPiece(/(?<!\s)\s+$/)).toBeUndefined();
});
