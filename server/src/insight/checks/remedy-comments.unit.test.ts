// A name with a line end does not end the comment that it stands in: the rest of the name would be a statement where a remedy is pasted.
import { expect, it } from 'vitest';
import { readSource } from '../../testing/source-files.ts';
import { Facts } from './facts.ts';
import { check as invalidIndex } from './invalid-index.ts';

/** What may stand in a comment of SQL. */
const INERT = /^(?:inertLine|quotedInComment|inComment|releaseName)\(|^behind\.newest\}/;
const COMMENT = /^\s*(?:[^'`\n]*['`])?--\s[^'`\n]*/gm;

it('comments of SQL name nothing that may end them', () => {
  const rooms = ['insight', 'plans', 'probes', 'estate', 'alerting', 'history', 'monitored'];
  const found = readSource()
    .filter(({ isTest, room }) => !isTest && rooms.includes(room))
    .flatMap(({ path, text }) =>
      [...text.matchAll(COMMENT)].flatMap(([line]) => {
        const [comment = ''] = line.slice(line.indexOf('--')).split('\\n');
        return comment
          .split('${')
          .slice(1)
          .filter((named) => !INERT.test(named))
          .map((named) => `${path}: ${named}`);
      }),
    );
  expect(found).toEqual([]);
});

it.each(['i', 'p'])(
  'the remedy of an invalid index has no statement of its name, of kind %s',
  (table_kind) => {
    const row = {
      ...{ finding: 'invalid', schemaname: 'public', relname: 'orders', table_kind, object_oid: '1' },
      ...{ index_size: 8192, indexrelname: 'x\nalter role mallory superuser; --' },
    };
    const readings = new Map([
      ['pg_index_health', [{ database_name: 'shop', collected_at: 1, rows: [row] }]],
    ]);
    const [one] = invalidIndex.judge(new Facts({ now: 1, readings })).found;
    const remedy = one?.remedy ?? expect.fail('nothing was found');
    expect(remedy).toContain('mallory');
    expect(remedy.replaceAll(/--[^\n]*|"[^"]*"|'[^']*'/g, '')).not.toContain('mallory');
  },
);
