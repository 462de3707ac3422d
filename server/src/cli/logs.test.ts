// matriarch logs on files as people have them: several, packed, damaged, and none at all. Guards: every line is counted, and literals
// are masked unless they are asked for.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { cliOnFiles } from '../testing/cli-on-files.ts';
import { logsPage } from './logs-page.ts';

const { matriarch, file, folder } = cliOnFiles('logs');

const AT = '2026-11-27 11:00:00.123 UTC';
const LINES = [
  `${AT} [1] ERROR:  deadlock detected`,
  `${AT} [2] ERROR:  relation "x" does not exist at character 15`,
  `${AT} [2] STATEMENT:  select * from x where name = 'hidden-literal'`,
  'cp: cannot stat a file',
  '',
].join('\n');

it('adds several files up, packed or not, and counts each line', async () => {
  const paths = [await file('a.log', LINES), await file('b.log.gz', gzipSync(LINES))];
  const { code, out } = await matriarch('--json', ...paths);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    lines: 8,
    events: 4,
    by_sqlstate: { '40P01': 2, '42P01': 2 },
    by_class: { deadlock: 2, undefined_table: 2 },
    by_severity: { ERROR: 4 },
    unclassified: 0,
    skipped: [{ reason: 'not a line of a PostgreSQL log', lines: 2 }],
  });
});

it('masks literals unless they are asked for', async () => {
  const path = await file('literal.log', LINES);
  expect((await matriarch('--json', path)).out).not.toContain('hidden-literal');
  expect((await matriarch('--json', '--keep-literals', path)).out).toContain('hidden-literal');
});

it('says what is wrong with a path, and that a file is no log', async () => {
  const missing = await matriarch(join(folder(), 'missing.log'));
  expect(missing).toMatchObject({ code: 64, err: expect.stringContaining('does not exist') });
  const directory = await matriarch(folder());
  expect(directory).toMatchObject({ code: 64, err: expect.stringContaining('is a directory') });
  expect((await matriarch(await file('empty.log', ''))).code).toBe(2);
  expect((await matriarch(await file('binary.log', Buffer.alloc(5000, 1)))).code).toBe(2);
});

it('reads the other files where one cannot be opened, names it, and says so by its status', async () => {
  const missing = join(folder(), 'missing.log');
  const { code, out, err } = await matriarch('--json', missing, await file('there.log', LINES));
  expect([code, err]).toEqual([64, expect.stringContaining('missing.log does not exist')]);
  expect(JSON.parse(out)).toMatchObject({ events: 2, unread: [expect.stringContaining(missing)] });
});

it.each(['bzip2', 'xz'])(
  'unpacks %s by the program of that name, or says that it is not there',
  async (program) => {
    const path = await file(`packed.${program}.log`, LINES);
    const packed = spawnSync(program, ['-k', path]);
    if (packed.error !== undefined) return;
    const { code, out } = await matriarch('--json', `${path}.${program === 'xz' ? 'xz' : 'bz2'}`);
    expect([code, JSON.parse(out)]).toMatchObject([0, { events: 2, files: [{ packing: program }] }]);
  },
);

it('reads what comes before the damage of a packed file, and says so', async () => {
  const many = LINES.repeat(20_000);
  const packed = gzipSync(many);
  const path = await file('cut.log.gz', packed.subarray(0, packed.length - 200));
  const { code, out } = await matriarch('--json', path);
  expect(code).toBe(0);
  const report = JSON.parse(out);
  expect(report.lines).toBeGreaterThan(1000);
  expect(report.notes.join('\n')).toContain('is damaged or was cut');
});

it('reads lines with CRLF and NUL bytes, and notes a clock that goes back', async () => {
  const text = [
    `${AT} [1] ERROR:  deadlock detected`,
    `\0\0${AT} [2] ERROR:  division by zero`,
    `2026-11-27 10:00:00.123 UTC [3] ERROR:  deadlock detected`,
    '',
  ].join('\r\n');
  const report = JSON.parse((await matriarch('--json', await file('odd.log', text))).out);
  expect(report).toMatchObject({ lines: 3, events: 3, by_sqlstate: { '40P01': 2, '22012': 1 }, skipped: [] });
  expect(report.notes.join('\n')).toContain('held NUL bytes');
  expect(report.notes.join('\n')).toContain('The time goes back once');
});

it('reads UTF-16 of either order, and what could be unpacked before a damage in the same piece', async () => {
  const text = Buffer.from(`\ufeff${LINES}`, 'utf16le');
  for (const bytes of [text, Buffer.from(text).swap16()])
    expect(JSON.parse((await matriarch('--json', await file('wide.log', bytes))).out)).toMatchObject({
      events: 2,
    });
  const packed = Buffer.concat([gzipSync(LINES.repeat(1000)), Buffer.from('garbage')]);
  const report = JSON.parse((await matriarch('--json', await file('tail.log.gz', packed))).out);
  expect(report.events).toBeGreaterThan(1900);
  expect(report.notes.join('\n')).toContain('is damaged or was cut');
});

it('prints one page of HTML that loads nothing, in which texts of the log are text and masked', async () => {
  const text = [
    `${AT} [1] ERROR:  deadlock detected`,
    `${AT} [1] DETAIL:  Process 1 waits. <script>alert(1)</script> \u202e`,
    `${AT} [1] STATEMENT:  update x set a = '<img src=x onerror=alert(1)> hidden-literal'`,
    `${AT} [2] LOG:  duration: 5000.000 ms  statement: select "<b>" from x`,
    '',
  ].join('\n');
  const path = await file('hostile.log', text);
  const { code, out } = await matriarch('--html', '--keep-literals', path);
  expect(code).toBe(0);
  expect(out).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(out).toContain('Process 1 waits. &lt;script&gt;alert(1)&lt;/script&gt; ?');
  expect(out).toContain('&lt;img src=x onerror=alert(1)&gt; hidden-literal');
  expect(out).toContain('select &quot;&lt;b&gt;&quot; from x');
  expect(out).not.toMatch(/<script|<img|\u202e|<[^>]+ (?:src|href)=|@import|url\(/);
  expect(out).toContain('default-src &#39;none&#39;');
  expect((await matriarch('--html', path)).out).not.toMatch(/hidden-literal|onerror/);
});

it('breaks what it says at the width of the terminal, and no longer than people read', async () => {
  const report = JSON.parse((await matriarch('--json', await file('width.log', LINES))).out);
  for (const width of [60, 80, 120])
    expect(Math.max(...logsPage(report, width).map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(logsPage(report, 500)).toEqual(logsPage(report, 120));
});
