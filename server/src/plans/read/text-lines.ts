// The lines below a node in the text format, read into the keys of the JSON format.
import type { Group } from './document.ts';

interface Form {
  pattern: RegExp;
  keys: readonly string[];
}

/** Lines with several figures. */
const FORMS: readonly Form[] = [
  {
    pattern: /^Sort Method: (.+?) {1,2}(Memory|Disk): (\d+)kB$/,
    keys: ['Sort Method', 'Sort Space Type', 'Sort Space Used'],
  },
  {
    pattern:
      /^Buckets: (\d+)(?: \(originally (\d+)\))? {1,2}Batches: (\d+)(?: \(originally (\d+)\))? {1,2}Memory Usage: (\d+)kB$/,
    keys: [
      'Hash Buckets',
      'Original Hash Buckets',
      'Hash Batches',
      'Original Hash Batches',
      'Peak Memory Usage',
    ],
  },
  {
    pattern:
      /^(?:Planned Partitions: (\d+) {1,2})?Batches: (\d+) {1,2}Memory Usage: (\d+)kB(?: {1,2}Disk Usage: (\d+)kB)?$/,
    keys: ['Planned Partitions', 'HashAgg Batches', 'Peak Memory Usage', 'Disk Usage'],
  },
  {
    pattern:
      /^Hits: (\d+) {1,2}Misses: (\d+) {1,2}Evictions: (\d+) {1,2}Overflows: (\d+) {1,2}Memory Usage: (\d+)kB$/,
    keys: ['Cache Hits', 'Cache Misses', 'Cache Evictions', 'Cache Overflows', 'Peak Memory Usage'],
  },
  {
    pattern: /^Heap Blocks:(?: exact=(\d+))?(?: lossy=(\d+))?$/,
    keys: ['Exact Heap Blocks', 'Lossy Heap Blocks'],
  },
  { pattern: /^Storage: (\w+) {1,2}Maximum Storage: (\d+)kB$/, keys: ['Storage', 'Maximum Storage'] },
  {
    pattern: /^actual (?:time=(\d+\.\d+)\.\.(\d+\.\d+) )?rows=(\d+(?:\.\d+)?) loops=(\d+)$/,
    keys: ['Actual Startup Time', 'Actual Total Time', 'Actual Rows', 'Actual Loops'],
  },
  { pattern: /^Memory: used=(\d+)kB {1,2}allocated=(\d+)kB$/, keys: ['Memory Used', 'Memory Allocated'] },
  {
    pattern: /^(?:Serialization|Output): (?:time=(\d+\.\d+) ms {1,2})?output=(\d+)kB {1,2}format=(\w+)$/,
    keys: ['Time', 'Output Volume', 'Format'],
  },
];

const KINDS = ['Shared', 'Local', 'Temp'];
const VERBS = ['Hit', 'Read', 'Dirtied', 'Written'];
export const BLOCKS = KINDS.flatMap((kind) => VERBS.map((verb) => `${kind} ${verb} Blocks`)).filter(
  (name) => !/^Temp (?:Hit|Dirtied)/.test(name),
);

const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/** `shared hit=3 read=1, temp written=2`; only what is not 0 is printed. */
function readBuffers(text: string, group: Group): void {
  for (const block of BLOCKS) group.set(block, '0');
  for (const part of text.split(', ')) {
    const [kind = '', ...figures] = part.trim().split(' ');
    for (const figure of figures) {
      const [verb = '', pages = ''] = figure.split('=');
      group.set(`${capital(kind)} ${capital(verb)} Blocks`, pages);
    }
  }
}

/** `shared read=0.5 write=1.0, temp read=2.0`; up to 14 without the kind. */
function readTimings(text: string, group: Group): void {
  for (const part of text.split(', ')) {
    const [, kind, rest = ''] = /^(?:(shared(?:\/local)?|local|temp) )?(.*)$/.exec(part.trim()) ?? [];
    const name = kind === undefined || kind === 'shared/local' ? '' : `${capital(kind)} `;
    for (const figure of rest.split(' ')) {
      const [verb = '', ms = ''] = figure.split('=');
      group.set(`${name}I/O ${capital(verb)} Time`, ms);
    }
  }
}

function readWal(text: string, group: Group): void {
  for (const [, name = '', figure = ''] of text.matchAll(/(records|fpi bytes|fpi|bytes|buffers full)=(\d+)/g))
    group.set(`WAL ${name.split(' ').map(capital).join(' ').replace('Fpi', 'FPI')}`, figure);
}

/** `Full-sort Groups: 2  Sort Method: quicksort  Average Memory: 27kB  Peak Memory: 27kB  Average Disk: …` */
function readGroups(name: string, text: string, group: Group): void {
  const [count = '', ...parts] = text.split('  ');
  const own: Group = new Map([['Group Count', count]]);
  for (const part of parts) {
    const [key = '', value = ''] = part.split(': ');
    const space = /^(Average|Peak) (Memory|Disk)$/.exec(key);
    if (space === null) own.set('Sort Methods Used', value);
    else {
      const key2 = `Sort Space ${space[2]}`;
      const known = own.get(key2);
      const spaces: Group = known instanceof Map ? known : new Map();
      own.set(key2, spaces.set(`${space[1]} Sort Space Used`, value.replace(/kB$/, '')));
    }
  }
  group.set(name, own);
}

const SPECIAL: Readonly<Record<string, (text: string, group: Group) => void>> = {
  Buffers: readBuffers,
  'I/O Timings': readTimings,
  WAL: readWal,
  'Full-sort Groups': (text, group) => readGroups('Full-sort Groups', text, group),
  'Pre-sorted Groups': (text, group) => readGroups('Pre-sorted Groups', text, group),
};

/** As versions before 10 wrote it. */
const FORMER: Readonly<Record<string, string>> = {
  'Planning time': 'Planning Time',
  'Execution time': 'Execution Time',
  'Total runtime': 'Execution Time',
};

/** Several of these stand below one node: sets of grouping, with their own order. */
const REPEATED = ['Group Key', 'Hash Key', 'Sort Key'];

/** Of Greenplum, a line for each slice. */
const SLICE = /^\* ?\(slice\d+\) .*|^\(slice\d+\) .*/;
const ENTRY = /^([A-Z][\w/() -]*?): ?(.*)$/;

function addTo(group: Group, key: string, value: string): true {
  const before = group.get(key);
  group.set(key, typeof before === 'string' ? `${before}; ${value}` : value);
  return true;
}

const figureOf = (_whole: string, before: string, after: string | undefined) =>
  after === undefined ? before : `${before}.${after}`;

/** Reads one line; false where it is none of these. */
export function readLine(line: string, group: Group): boolean {
  for (const { pattern, keys } of FORMS) {
    const found = pattern.exec(line);
    if (found === null) continue;
    for (const [index, key] of keys.entries()) {
      const value = found[index + 1];
      if (value !== undefined) group.set(key, value);
    }
    return true;
  }
  if (SLICE.test(line)) return addTo(group, 'Slice statistics', line);
  const [, written = '', value = ''] = ENTRY.exec(line) ?? [];
  const key = FORMER[written] ?? written;
  if (key === '') return false;
  const special = SPECIAL[key];
  if (special !== undefined) special(value, group);
  else if (REPEATED.includes(key)) addTo(group, key, value);
  else group.set(key, value.replace(/^(\d+)(?:[.,](\d+))?(?:kB| ms)$/, figureOf));
  return true;
}
