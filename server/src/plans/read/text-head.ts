// The first line of a node in the text format: `->  Parallel Hash Left Join  (cost=… rows=… width=…) (actual time=… rows=… loops=…)`,
// read into the keys of the JSON format.
import { UsageError } from '../../kernel/errors.ts';
import type { Group } from './document.ts';

const NEVER = /\(never executed\)$/;
/** Programs that show a table of figures may write a comma. */
const FIGURE = String.raw`(\d+(?:[.,]\d+)?)`;
const ACTUAL = new RegExp(
  String.raw`\(actual (?:time=${FIGURE}\.\.${FIGURE} )?rows=${FIGURE}(?: loops=(\d+))?\)$`,
);
/** As MySQL and MariaDB write it. */
const FOREIGN_COST = /\(cost=\d+(?:\.\d+)?(?:e[+-]?\d+)? rows=\d/;
const foreign = () =>
  new UsageError(
    'This is a plan of another database, such as MySQL. Paste what EXPLAIN of PostgreSQL printed.',
  );
/** Figures whose end is not there. */
const CUT = /\((?:cost=|actual )[^()]*$/;
const COST = new RegExp(String.raw`\(cost=${FIGURE}\.\.${FIGURE} rows=${FIGURE}(?: width=(\d+))?\)$`);
const pointed = (figure: string | undefined) => figure?.replace(',', '.');

/** Of Greenplum: which processes run it. */
const SLICE = / {1,2}\((slice\d+; segments: \d+)\)$/;

const NAME = String.raw`(?:"(?:[^"]|"")*"|[^\s".()]+)`;
const TARGET = new RegExp(String.raw`^(?:(${NAME})\.)?(${NAME})(?: (${NAME}))?$`);
/** Of what a node reads, after the name of its kind. */
const USING = new RegExp(`^(.*?) using (${NAME})(?: on (.+))?$`);

/** Kinds that read something, and the key of what it is called. */
const OBJECTS: Readonly<Record<string, string>> = {
  'Function Scan': 'Function Name',
  'Table Function Scan': 'Table Function Name',
  'CTE Scan': 'CTE Name',
  'WorkTable Scan': 'CTE Name',
  'Named Tuplestore Scan': 'Tuplestore Name',
};
const ONLY_ALIAS = ['Subquery Scan', 'Values Scan'];
const STRATEGIES: Readonly<Record<string, string>> = { Group: 'Sorted', Hash: 'Hashed', Mixed: 'Mixed' };

/** Every kind of node that PostgreSQL 14 to 19 prints, as the text begins. */
const KINDS =
  /^(?:(?:Parallel|Async|Partial|Finalize) )*(?:Seq Scan|Sample Scan|Index Scan|Index Only Scan|Bitmap Heap Scan|Bitmap Index Scan|BitmapAnd|BitmapOr|Tid Scan|Tid Range Scan|Subquery Scan|Function Scan|Table Function Scan|Values Scan|CTE Scan|Named Tuplestore Scan|WorkTable Scan|Foreign (?:Scan|Insert|Update|Delete)|Custom Scan|Nested Loop|Merge(?: Append| (?:[A-Z][a-z]+ )*Join)|Hash|Materialize|Memoize|Sort|Incremental Sort|Group|GroupAggregate|HashAggregate|MixedAggregate|Aggregate|WindowAgg|Unique|SetOp|HashSetOp|LockRows|Limit|Append|Recursive Union|Result|ProjectSet|Gather|(?:Insert|Update|Delete|Merge) on)\b/;

const plain = (name: string | undefined): string | undefined =>
  name?.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;

const setAll = (group: Group, entries: Readonly<Record<string, string | undefined>>) => {
  for (const [key, value] of Object.entries(entries)) if (value !== undefined) group.set(key, value);
};

const FIGURES_THEN_NOTE =
  /^(.*(?:width=\d+|loops=\d+|rows=\d+(?:\.\d+)?|never executed)\))(\s*[^\s(].*|\s*\((?!actual|never).*)$/;

/** What people and extensions write behind the figures. */
function withoutNote(line: string, group: Group): string {
  const [, head, note = ''] = FIGURES_THEN_NOTE.exec(line) ?? [];
  if (head === undefined || note.includes('\\n')) return line;
  group.set('Note', note.trim());
  return head;
}

/** Takes what stands in brackets off the end; answers what is left. */
function readFigures(line: string, group: Group): string {
  let rest = withoutNote(line, group);
  if (NEVER.test(rest)) {
    rest = rest.replace(NEVER, '').trimEnd();
    setAll(group, { 'Actual Loops': '0', 'Actual Rows': '0' });
  }
  const actual = ACTUAL.exec(rest);
  if (actual) {
    const [whole] = actual;
    const [startup, total, rows, loops] = actual.slice(1).map(pointed);
    rest = rest.slice(0, -whole.length).trimEnd();
    setAll(group, {
      'Actual Startup Time': startup,
      'Actual Total Time': total,
      'Actual Rows': rows,
      'Actual Loops': loops,
    });
  }
  const cut = CUT.exec(rest);
  if (cut) {
    rest = rest.slice(0, -cut[0].length).trimEnd();
    group.set('Cut Line', cut[0].trim());
  }
  const cost = COST.exec(rest);
  if (cost) {
    const [whole] = cost;
    const [startup, total, rows, width] = cost.slice(1).map(pointed);
    rest = rest.slice(0, -whole.length).trimEnd();
    setAll(group, { 'Startup Cost': startup, 'Total Cost': total, 'Plan Rows': rows, 'Plan Width': width });
  }
  const slice = SLICE.exec(rest);
  if (slice === null) return rest.trim();
  group.set('Slice', slice[1] ?? '');
  return rest.slice(0, slice.index);
}

function readTarget(kind: string, target: string, group: Group): void {
  const [, schema, name, alias] = TARGET.exec(target) ?? [];
  if (kind === 'Bitmap Index Scan') setAll(group, { 'Index Name': plain(name) });
  else if (ONLY_ALIAS.includes(kind)) setAll(group, { Alias: plain(name) ?? target });
  else
    setAll(group, {
      Schema: plain(schema),
      [OBJECTS[kind] ?? 'Relation Name']: plain(name) ?? target,
      Alias: plain(alias ?? name),
    });
}

/** The name of the kind into its parts, as the other formats have them. */
function readKind(title: string, group: Group): string {
  const [, parallel, partial, name = ''] =
    /^((?:Parallel |Async )*)((?:Partial |Finalize )?)(.*)$/.exec(title) ?? [];
  if (parallel?.includes('Parallel')) group.set('Parallel Aware', true);
  if (parallel?.includes('Async')) group.set('Async Capable', true);
  const aggregate = /^(Group|Hash|Mixed)?Aggregate$/.exec(name);
  if (aggregate) {
    setAll(group, {
      Strategy: STRATEGIES[aggregate[1] ?? ''] ?? 'Plain',
      'Partial Mode': partial?.trim() || 'Simple',
    });
    return 'Aggregate';
  }
  const join =
    /^(Hash|Merge|Nested Loop)(?: (Left|Full|Right Semi|Right Anti|Right|Semi|Anti))?(?: Join)?$/.exec(name);
  if (join && name !== 'Hash' && name !== 'Merge') {
    group.set('Join Type', join[2] ?? 'Inner');
    return join[1] === 'Nested Loop' ? 'Nested Loop' : `${join[1]} Join`;
  }
  const setOp = /^(Hash)?SetOp (.+)$/.exec(name);
  if (setOp) {
    setAll(group, { Strategy: setOp[1] ? 'Hashed' : 'Sorted', Command: setOp[2] });
    return 'SetOp';
  }
  const custom = /^Custom Scan \((.+)\)$/.exec(name);
  if (custom) setAll(group, { 'Custom Plan Provider': custom[1] });
  if (custom) return 'Custom Scan';
  const foreign = /^Foreign (Insert|Update|Delete)$/.exec(name);
  if (foreign) setAll(group, { Operation: foreign[1] });
  return foreign ? 'Foreign Scan' : name;
}

/** Reads the line of a node into a group; `isSure` where an arrow or figures say that it is one. */
export function readHead(line: string, isSure: boolean): Group | undefined {
  const group: Group = new Map();
  const rest = readFigures(line, group);
  if (FOREIGN_COST.test(rest)) throw foreign();
  // Of a text whose line ends are written as `\n`.
  if (rest.includes('(cost=') && rest.includes('\\n')) return undefined;
  if (rest === '' || (!isSure && group.size === 0 && !KINDS.test(rest))) return undefined;
  const modified = /^(Insert|Update|Delete|Merge) on (.+)$/.exec(rest);
  if (modified) {
    setAll(group, { 'Node Type': 'ModifyTable', Operation: modified[1] });
    readTarget('ModifyTable', modified[2] ?? '', group);
    return group;
  }
  const [, using, index, on] = USING.exec(rest) ?? [];
  const [, before, after] = /^(.*?) on (.+)$/.exec(rest) ?? [];
  const title = using ?? before ?? rest;
  const isBackward = title.endsWith(' Backward');
  const kind = readKind(isBackward ? title.slice(0, -' Backward'.length) : title, group);
  group.set('Node Type', kind);
  if (/^Index (?:Only )?Scan$/.test(kind)) group.set('Scan Direction', isBackward ? 'Backward' : 'Forward');
  setAll(group, { 'Index Name': plain(index) });
  const target = using === undefined ? after : on;
  if (target !== undefined) readTarget(kind, target, group);
  return group;
}
