// matriarch plan on real plans and on files that are none: the sentence, the tree, JSON, the diff, standard input.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cliOnFiles } from '../testing/cli-on-files.ts';
import { datastoreServer } from '../testing/servers/postgres.ts';
import { directly } from '../testing/servers/probing.ts';

const { matriarch, file, folder } = cliOnFiles('plan');

async function explain(options: string, sql: string): Promise<string> {
  const rows = await directly(datastoreServer(), `explain (${options}) ${sql}`);
  return rows
    .map((row) =>
      typeof row['QUERY PLAN'] === 'string' ? row['QUERY PLAN'] : JSON.stringify(row['QUERY PLAN']),
    )
    .join('\n');
}

const SORT = 'select g, md5(g::text) from generate_series(1, 60000) g order by 2';

it('prints the verdict, the advice and the tree, and all of it as JSON', async () => {
  const path = await file('sort.txt', await explain('analyze, buffers', SORT));
  const page = await matriarch(path);
  expect(page.code).toBe(0);
  expect(page.out.split('\n')[0]).toMatch(/^Took .* in node \d/);
  expect(page.out).toMatch(/Node 1: Sort or hash spilled to disk/);
  expect(page.out).toMatch(/ 2 {4}Function Scan on generate_series g/);
  const { out } = await matriarch(path, '--json');
  expect(JSON.parse(out)).toMatchObject({
    analyzed: true,
    plan: {
      id: 1,
      node: 'Sort',
      total_rows: 60_000,
      children: [{ node: 'Function Scan', function: 'generate_series' }],
    },
    advice: expect.arrayContaining([expect.objectContaining({ advice: 'spilled_to_disk', node: 1 })]),
  });
});

it('compares two plans', async () => {
  const before = await file('before.json', await explain('analyze, format json', SORT));
  const after = await file('after.txt', await explain('analyze', 'select g from generate_series(1, 10) g'));
  const { out } = await matriarch(before, after);
  expect(out).toMatch(/^The plans differ: 0 nodes changed, 0 added, 1 removed\. .*times as fast/);
  expect(JSON.parse((await matriarch(before, before, '--json')).out)).toMatchObject({ same_plan: true });
});

it('lets nothing of a file reach the terminal but text', async () => {
  const plan = [
    {
      Plan: {
        'Node Type': 'Seq \u001b[2JScan',
        'Relation Name': 'a\u0007\u202eb',
        Filter: '(x = \u001b]0;owned\u0007)',
      },
    },
  ];
  const { out, code } = await matriarch(await file('bad.json', JSON.stringify(plan)));
  expect([code, /(?!\n)[\p{Cc}\p{Cf}]/u.test(out)]).toEqual([0, false]);
});

it.each([
  ['prose.txt', 'The server is slow.', /no query plan/],
  ['empty.txt', '', /empty/],
  ['image.png', Buffer.from([0x89, 0x50, 0, 1, 2]), /binary file/],
  ['large.txt', Buffer.alloc(97 * 1024 * 1024, 120), /larger than 96 MB/],
])('says of %s in a sentence what to do', async (name, content, expected) => {
  const { code, err, out } = await matriarch(await file(name, content));
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(expected);
});

it('names a file that cannot be read, and reads UTF-16', async () => {
  expect(await matriarch(join(folder(), 'none'))).toMatchObject({
    code: 1,
    err: expect.stringMatching(/none does not exist: check the path\./),
  });
  const text = await explain('analyze', 'select 1');
  expect(await matriarch(await file('utf16.txt', Buffer.from(`\ufeff${text}`, 'utf16le')))).toMatchObject({
    code: 0,
  });
});

it('prints one page of HTML that loads nothing, in which names of a plan are text', async () => {
  const hostile = `<script>alert(1)</script> "x" \u202e`;
  const plan = {
    'Node Type': 'Seq Scan',
    'Relation Name': hostile,
    Filter: '(a = 1)',
    'Plan Rows': 5,
    'Total Cost': 9,
  };
  const path = await file('hostile.json', JSON.stringify([{ Plan: plan, 'Query Text': hostile }]));
  const { code, out } = await matriarch(path, '--html');
  expect(code).toBe(0);
  expect(out).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(out).toContain('Seq Scan on &lt;script&gt;alert(1)&lt;/script&gt; &quot;x&quot; ?');
  expect(out).not.toMatch(/<script|\u202e|<[^>]+ (?:src|href)=|@import|url\(/);
  expect(out).toContain('default-src &#39;none&#39;');
  const second = await file(
    'second.json',
    JSON.stringify([{ Plan: { ...plan, 'Node Type': 'Index Scan', 'Index Name': hostile } }]),
  );
  const diff = await matriarch(path, second, '--html');
  expect(diff.out).toContain('Changed');
  expect(diff.out).not.toMatch(/<script|\u202e/);
});
