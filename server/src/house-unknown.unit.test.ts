// What is unknown stays unknown: SQL and texts may make a 0 only of what is known to be none. greatest() ignores null, so that
// greatest(x, 0) says 0 of an x that nobody knows. Each exception says why 0 is true there.
import { describe, expect, it } from 'vitest';
import { readSource, type SourceFile } from './testing/source-files.ts';

const product = readSource().filter(
  ({ room, isTest, isGenerated }) => !isTest && !isGenerated && room !== 'testing' && room !== 'bench',
);

const COUNTED = 'A count of rows of our own: without any it is 0.';
const OURS = 'A number of our own tables that is 0 before the first.';
const KEY = 'A key column, which a row always has.';

/** Calls that make 0 of null, by file, as they stand there in one line with #{ for what is filled in; each is true for the reason beside it. */
const EXCEPTIONS: Readonly<Record<string, readonly (readonly [call: string, because: string])[]>> = {
  'probes/autovacuum-thresholds.ts': [
    ['greatest(c.reltuples, 0)', 'Never null; autovacuum itself takes -1, which is never analyzed, as 0.'],
  ],
  'probes/pg-bloat-estimate.ts': [
    ['coalesce(s.null_frac, 0)', 'Without statistics no value is taken as null: bloat is never overstated.'],
  ],
  'probes/pg-index-health.ts': [['greatest(c.relpages, 0)', 'Never null in the catalog.']],
  'probes/pg-sequence-usage.ts': [['greatest(p.last_value, 0)', 'Only where last_value is not null.']],
  'probes/pg-stat-all-indexes.ts': [['greatest(0, d.relpages)', 'Never null in the catalog.']],
  'probes/table-statement.ts': [
    ['coalesce(greatest(toast.relpages, 0), 0)', 'A table without a TOAST table has no pages in one.'],
    ['greatest(toast.relpages, 0)', 'Within the same: never null of a TOAST table.'],
  ],
  'probes/pg-stat-subscription.ts': [
    ['coalesce(s.pid, 0)', 'A key: the view has no process while there is no worker.'],
  ],
  'probes/pg-wal-directory.ts': [
    ['coalesce(pg_catalog.sum(f.size), 0)', 'A directory without files takes nothing.'],
  ],
  'probes/pg-wraparound.ts': [
    ['coalesce(w.transactions, 0)', 'All prepared transactions were read: a database without any has none.'],
    ['coalesce(w.seconds, 0)', 'None of them is the only way to have no age; the rule clears by it.'],
    ['coalesce(h.datid, 0)', 'A key of a lookup: what binds every database has none.'],
  ],
  'identity/access/levels.queries.ts': [
    [
      "coalesce(( select max(case entry ->> 'level' when 'read_write' then 2 when 'read' then 1 else 0 end) from jsonb_array_elements(#{scope} -> 'connections') as entry where entry ->> 'connection_id' in (#{connections}) ), 0)",
      'A token whose scope does not name the connection has no level.',
    ],
    ['coalesce((select #{HEIGHT} #{grants(subject)} and gc.connection_id = 0), 0)', 'No grant is no level.'],
    [
      'coalesce((select #{HEIGHT} #{grants(subject)} and gc.connection_id in (0, c.id)), 0)',
      'No grant is no level.',
    ],
    [
      'coalesce((select #{INHERITED_HEIGHT} #{inherited(subject)} and ig.connection_id = c.id), 0)',
      'No grant is no level.',
    ],
    [
      "coalesce(( select max(case held.access_level when 'read_write' then 2 else 1 end) from matriarch.group_scopes held where held.group_id = any(#{subject.groups}) and held.scope = #{scope} and held.scope_id = #{scope_id} ), 0)",
      'No grant is no level.',
    ],
  ],
  'identity/access/members.queries.ts': [
    ["coalesce(max(case gs.access_level when 'read_write' then 2 else 1 end), 0)", 'No grant is no level.'],
  ],
  'assistant/ai-runs/calls.queries.ts': [
    ['coalesce(#{one.user_id}::int, 0)', 'A key: 0 is the product itself.'],
    ['coalesce(c.user_id, 0)', 'A key: 0 is the product itself.'],
    [
      'coalesce(#{one.cost_nanodollars}::bigint, 0)',
      'Calls of unknown cost are counted beside the sum, in the column after it.',
    ],
    ['greatest(0, b.reserved - e.reserved_tokens)', OURS],
    ['greatest(0, b.reserved_nanodollars - e.reserved_nanodollars)', OURS],
    ['greatest(0, b.reserved - d.tokens)', OURS],
    ['greatest(0, b.reserved_nanodollars - d.cost)', OURS],
  ],
  'alerting/alerter/state.queries.ts': [['coalesce(s.consecutive_failures, 0)', OURS]],
  'estate/clusters/relationships.queries.ts': [
    ['coalesce(r.cluster_id, s.cluster_id, 0)', 'A key of a lookup: 0 is no cluster.'],
  ],
  'estate/clusters/topology.queries.ts': [['coalesce(active.alerts, 0)', COUNTED]],
  'history/performance/performance.queries.ts': [['coalesce(sum(coalesce(a.stands_for, 1)), 0)', COUNTED]],
  'estate/estate/estate.queries.ts': [['coalesce(run.problem_count, 0)', COUNTED]],
  'insight/findings/findings.queries.ts': [
    ["coalesce((select many from found where severity = 'info'), 0)", COUNTED],
    ["coalesce((select many from found where severity = 'warning'), 0)", COUNTED],
    ["coalesce((select many from found where severity = 'critical'), 0)", COUNTED],
    ['coalesce(o.critical, 0)', COUNTED],
    ['coalesce(o.warning, 0)', COUNTED],
    ['coalesce(o.info, 0)', COUNTED],
  ],
  'alerting/alerts/outbox.queries.ts': [
    ["coalesce(max(t.sequence) filter (where t.kind = 'reminder'), 0)", OURS],
  ],
  'estate/probe-configs/probe-configs.queries.ts': [
    ['coalesce(s.overridden, 0)', COUNTED],
    ['coalesce(s.disabled, 0)', COUNTED],
    ['coalesce(cost.measured, 0)', COUNTED],
  ],
  'store/layout/objects.queries.ts': [['coalesce(max(o.object_id), 0)', OURS]],
  'store/layout/retention.queries.ts': [
    ['coalesce(c.interval_seconds, 0)', 'An interval that no server has set cannot be longer.'],
  ],
  'store/rollup/active-sessions.queries.ts': [
    ['coalesce(sum(u), 0)', 'A span that was read and in which no session was active: its arrays are empty.'],
  ],
  'store/read/newest-grown.queries.ts': [
    [
      'coalesce(sum(u.#{identifier(`v#{n}`)} * u.part), 0)',
      'Of a span that was read; what did not grow is left out of it.',
    ],
    ['coalesce(g.whole, 0)', 'The same for a database in which nothing grew.'],
  ],
  'store/upkeep/copy.queries.ts': [
    [
      'coalesce(sum(hashtextextended(row(#{columnsOf(part.table)})::text, 0)), 0)',
      'A checksum: that of no rows is 0.',
    ],
  ],
  'store/write/samples/sample-writer.queries.ts': [
    ['coalesce(floor(extract(epoch from e.taken_at) * 1000), 0)', 'A key of an epoch: 0 is the first.'],
  ],
};

/** Texts that show a number, by file. */
const SHOWN: Readonly<Record<string, readonly (readonly [text: string, because: string])[]>> = {
  'insight/checks/hba.ts': [["#{rule.number('line_number') ?? 0}", KEY]],
  'assistant/tools/support/answer.ts': [
    ['#{(found.codePointAt(0) ?? 0).toString(16)}', 'A character that was found has a code point.'],
  ],
};

/** From an opening parenthesis up to the one that closes it; undefined: none does. */
function closed(text: string, open: number): string | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(open + 1, at);
  }
  return undefined;
}

function argumentsOf(inner: string): string[] {
  const found = [''];
  let depth = 0;
  for (const character of inner) {
    if (character === '(' || character === '[' || character === '{') depth += 1;
    if (character === ')' || character === ']' || character === '}') depth -= 1;
    if (character === ',' && depth === 0) found.push('');
    else found.push(`${found.pop() ?? ''}${character}`);
  }
  return found.map((one) => one.trim());
}

const written = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll('${', '#{');

const ZERO = /^'?0(?:\.0+)?'?(?:::[\w ]+)?$/;

/** greatest() and coalesce() that have a 0 among their arguments, each in one line. */
function zeroesOf(text: string): string[] {
  return [...text.matchAll(/\b(greatest|coalesce)\s*\(/gi)].flatMap(({ 0: call, index }) => {
    const inner = closed(text, index + call.length - 1);
    if (inner === undefined || !argumentsOf(inner).some((one) => ZERO.test(one))) return [];
    return [written(`${call}${inner})`)];
  });
}

/** Our own greatest() over a list of known numbers (kernel/lists.ts) is no SQL. */
const isSql = ({ imports }: SourceFile, call: string) =>
  !(call.startsWith('greatest') && imports.some(({ target }) => target === 'kernel/lists.ts'));

const withoutComments = (text: string) => text.replace(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, '');

type List = Readonly<Record<string, readonly (readonly [string, string])[]>>;

function besides(exceptions: List, found: (file: SourceFile) => readonly string[]): string[] {
  return product.flatMap((file) => {
    const known = new Set((exceptions[file.path] ?? []).map(([text]) => text));
    return found(file).flatMap((text) => (known.has(text) ? [] : [`${file.path}: ${text}`]));
  });
}

function idle(exceptions: List, found: (file: SourceFile) => readonly string[]): string[] {
  return Object.entries(exceptions).flatMap(([path, list]) => {
    const file = product.find((one) => one.path === path);
    const there = new Set(file ? found(file) : []);
    return list.flatMap(([text]) => (there.has(text) ? [] : [`${path}: ${text}`]));
  });
}

const inSql = (file: SourceFile) => zeroesOf(withoutComments(file.text)).filter((call) => isSql(file, call));

const SPEAKERS = /^(?:alerting\/(?:alerter|channels|rules)|insight\/checks|assistant\/(?:answers|tools))\//;
const inTexts = (file: SourceFile) =>
  SPEAKERS.test(file.path)
    ? (
        file.text.match(/\$\{[^{}]*\?\? 0\b[^{}]*\}|shown\w*\([^()]*(?:\([^()]*\))?[^()]*\?\? 0\b/g) ?? []
      ).map(written)
    : [];

describe('what is unknown', () => {
  it('SQL makes no 0 of null, but for what is known to be none.', () => {
    expect(besides(EXCEPTIONS, inSql)).toEqual([]);
    expect(idle(EXCEPTIONS, inSql)).toEqual([]);
  });

  it('No text shows 0 for a number that is not known.', () => {
    expect(besides(SHOWN, inTexts)).toEqual([]);
    expect(idle(SHOWN, inTexts)).toEqual([]);
  });

  it('The rules find what they are for.', () => {
    expect(
      zeroesOf(`greatest(pg_wal_lsn_diff(h.lsn, s.lsn), 0)::bigint, coalesce(f(a, 0), b), greatest(0.0, c)`),
    ).toEqual(['greatest(pg_wal_lsn_diff(h.lsn, s.lsn), 0)', 'greatest(0.0, c)']);
    expect(zeroesOf(`coalesce(\n  sum(x),\n  0::bigint\n)`)).toEqual(['coalesce( sum(x), 0::bigint )']);
    const one = product.find(({ path }) => path === 'insight/checks/hba.ts') ?? expect.fail();
    expect(inTexts({ ...one, text: ['shownValue(wait ?? 0)', '$', '{a ?? 0}'].join('') })).toHaveLength(2);
  });
});
