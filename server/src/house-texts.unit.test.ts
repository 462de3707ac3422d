// A text is cut by cutText, which leaves no half character: `slice` counts halves of what is beyond U+FFFF, and strict readers of
// JSON refuse the whole for one of them. Types are not known here, so what a receiver is called says that it is a text.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOTS = [path.resolve(import.meta.dirname), path.resolve(import.meta.dirname, '../../web/src')];
const TEXTS =
  'name|text|uri|message|said|plan|shape|query|identifier|method|header|username|path|query_text|content|flat|reply|summary|title|object_key|server_version';
/** A constant bound, however it is written, of a text by its name, by what was done to it last or by the name of the bound. */
const CUT = new RegExp(
  `(?:\\b(?:${TEXTS})|(?:replaceAll|trim|normalize|join)\\([^()]*\\))\\??\\.(?:slice\\(0, (?:[0-9]{2,}|[A-Z][A-Z_0-9]+)\\b|substring\\(|substr\\()|\\.slice\\(0, [A-Z_]*(?:TEXT|CHARACTERS)\\b`,
);
/** Cut by halves and made whole at once, or nothing that people read. */
// Keys that are stored stay as they were made.
const ALLOWED = [
  'kernel/inert-text.ts',
  'lib/inert-text.ts',
  'insight/overview/model-summary.ts',
  'store/format/content.ts',
];

const files = ROOTS.flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        /\.tsx?$/.test(file) && !/\.test\.|\.scene\.|\.gen\.|^(?:bench|testing|cli\/gen)\//.test(file),
    )
    .filter((file) => !ALLOWED.includes(file))
    .map((file) => ({ file, lines: readFileSync(path.join(root, file), 'utf8').split('\n') })),
);

it('cuts texts by cutText', () => {
  expect(files.length).toBeGreaterThan(500);
  const odd = files.flatMap(({ file, lines }) =>
    lines.flatMap((line, at) => (CUT.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
  );
  expect(odd).toEqual([]);
});

it.each([
  'text.slice(0, 80)',
  'one.message?.slice(0, LONGEST)',
  "a.replaceAll(/b/g, '').slice(0, 255)",
  'x.title.substring(3)',
  'known.get(key)?.slice(0, LONGEST_TEXT)',
])('notices %s', (code) => expect(CUT.test(code)).toBe(true));
