// EXPLAIN's own text, which is what people paste. A tree by indentation is read into the groups of the JSON format. Guards: a line that is
// not understood is kept with its node and counted; a level costs no stack.

import { UsageError } from '../../kernel/errors.ts';
import { MOST_LEVELS, MOST_NODES, MOST_PLANS } from '../caps.ts';
import { type Group, numberAt, tooDeep, type Value } from './document.ts';
import { withoutBreaks } from './quoted-lines.ts';
import { readHead } from './text-head.ts';
import { BLOCKS, readLine } from './text-lines.ts';

interface Open {
  /** Column of the arrow; what belongs to the node is further right. */
  indent: number;
  node: Group;
  /** A line such as `InitPlan 1`, which names the next node below. */
  label: string | undefined;
  /** A line with lines of its own, such as `Worker 0:`. */
  inner: { indent: number; group: Group } | undefined;
}

interface Reading {
  /** Plans before this one. */
  before: Group[];
  query: Group;
  open: Open[];
  nodes: Group[];
  /** Column of the line below the first node: what is further left belongs to no node, also where the first line lost its spaces. */
  below: number | undefined;
  /** The group that lines at the end belong to, such as `Planning:`. */
  section: { indent: number; name: string; group: Group } | undefined;
}

/** Of a text that was cut at its start. */
export const NODES_ABOVE = 'Nodes Above';

/** From 19 on they have names, such as `InitPlan minmax_1`. */
const LABEL = /^(?:(?:InitPlan|SubPlan) \w+(?: \(returns .*\))?|CTE \S.*)$/;
/** Each table of several that a node writes. */
const TARGET = /^(?:Foreign )?(?:Insert|Update|Delete|Merge) on \S/;
const WORKER = /^Worker (\d+): *(.*)$/;

function childrenOf(node: Group): Value[] {
  const known = node.get('Plans');
  if (Array.isArray(known)) return known;
  const made: Value[] = [];
  node.set('Plans', made);
  return made;
}

function addNode(reading: Reading, head: Group, indent: number): void {
  const parent = reading.open.at(-1);
  if (parent !== undefined) {
    if (parent.label !== undefined) {
      head.set('Subplan Name', parent.label);
      head.set('Parent Relationship', parent.label.startsWith('SubPlan') ? 'SubPlan' : 'InitPlan');
      parent.label = undefined;
    }
    childrenOf(parent.node).push(head);
  } else reading.query.set('Plan', head);
  reading.nodes.push(head);
  if (reading.nodes.length > MOST_NODES)
    throw new UsageError(`The plan has more than ${MOST_NODES} nodes; give a part of it.`);
  if (reading.open.length >= MOST_LEVELS) throw tooDeep();
  reading.open.push({ indent, node: head, label: undefined, inner: undefined });
}

function workersOf(node: Group): Value[] {
  const known = node.get('Workers');
  if (Array.isArray(known)) return known;
  const made: Value[] = [];
  node.set('Workers', made);
  return made;
}

function workerOf(node: Group, number: string): Group {
  const workers = workersOf(node);
  const known = workers.find((one) => one instanceof Map && one.get('Worker Number') === number);
  if (known instanceof Map) return known;
  const made: Group = new Map([['Worker Number', number]]);
  workers.push(made);
  return made;
}

function keep(group: Group, line: string): void {
  const before = group.get('Other Lines');
  group.set('Other Lines', Array.isArray(before) ? [...before.slice(0, 100), line] : [line]);
}

function readProperty(top: Open, { indent, text }: { indent: number; text: string }): void {
  if (top.inner !== undefined && indent <= top.inner.indent) top.inner = undefined;
  const worker = WORKER.exec(text);
  if (worker) {
    const group = workerOf(top.node, worker[1] ?? '');
    top.inner = { indent, group };
    if (worker[2]) readLine(worker[2], group);
    return;
  }
  if (LABEL.test(text)) {
    top.label = text;
    return;
  }
  if (TARGET.test(text) && top.node.get('Node Type') === 'ModifyTable') {
    const before = top.node.get('Target Tables');
    top.node.set('Target Tables', Array.isArray(before) ? [...before, text] : [text]);
    return;
  }
  const group = top.inner?.group ?? top.node;
  const isSection = /^(?:JIT|JIT for worker \d+):$/.test(text);
  if (isSection) {
    const own: Group = new Map();
    group.set(text.slice(0, -1), own);
    top.inner = { indent, group: own };
  } else if (!readLine(text, group)) keep(group, text);
}

const TRIGGER = /^Trigger (?:for )?(.+?)(?: on (\S+))?: (?:time=(\d+\.\d+) )?calls=(\d+)$/;

/** Of the whole: settings, planning, triggers, JIT, times. */
function readSummary(reading: Reading, { indent, text }: { indent: number; text: string }): void {
  const { section } = reading;
  if (section !== undefined && indent > section.indent) {
    if (!readLine(text, section.group)) keep(section.group, text);
    return;
  }
  reading.section = undefined;
  const trigger = TRIGGER.exec(text);
  if (trigger) {
    const [, name = '', relation = '', time = '', calls = ''] = trigger;
    const own: Group = new Map([
      ['Trigger Name', name],
      ['Relation', relation],
      ['Time', time],
      ['Calls', calls],
    ]);
    const known = reading.query.get('Triggers');
    reading.query.set('Triggers', Array.isArray(known) ? [...known, own] : [own]);
    return;
  }
  const name = /^(Planning|JIT|Serialization)(?::$|: (?=time=|output=))/.exec(text)?.[1];
  if (name !== undefined) {
    const group: Group = new Map();
    reading.section = { indent, name, group };
    reading.query.set(name, group);
    readLine(text, group);
    if (text.endsWith(':')) group.delete(name);
    return;
  }
  if (text.startsWith('Settings: ')) {
    const found = text.matchAll(/(?<![\w.])([\w.]+) = '((?:[^']|'')*)'/g);
    reading.query.set('Settings', new Map([...found].map(([, key = '', value = '']) => [key, value])));
  } else if (!readLine(text, reading.query)) keep(reading.query, text);
}

/** Only what is not 0 is printed: where one node has pages, the others have none. */
function fillBuffers({ nodes }: Reading): void {
  if (!nodes.some((node) => node.has('Shared Hit Blocks'))) return;
  for (const node of nodes)
    if (!node.has('Shared Hit Blocks') && numberAt(node, 'Actual Loops') !== null)
      for (const block of BLOCKS) node.set(block, '0');
}

const hasFigures = (head: Group) => head.has('Total Cost') || head.has('Actual Loops');

/** The line that a plan begins with, or what comes before it. */
function readBefore(
  reading: Reading,
  line: string,
  { indent, text }: { indent: number; text: string },
): void {
  const { query } = reading;
  const statement = query.get('Query Text');
  const head = readHead(text.replace(/^->\s*/, ''), false);
  // A line of the statement itself may begin as a node does; auto_explain writes figures with each node.
  if (head !== undefined && (statement === undefined || hasFigures(head))) {
    if (text.startsWith('->')) query.set(NODES_ABOVE, 'missing');
    addNode(reading, head, indent);
  } else if (typeof statement === 'string' && !text.startsWith('Query Parameters: '))
    query.set('Query Text', `${statement}\n${line}`);
  else readSummary(reading, { indent, text });
}

/** A second plan below the first one. */
function isNextPlan(text: string): boolean {
  const head = readHead(text, false);
  return head !== undefined && hasFigures(head);
}

function nextPlan(reading: Reading): void {
  fillBuffers(reading);
  if (reading.before.length + 1 >= MOST_PLANS) return;
  reading.before.push(reading.query);
  Object.assign(reading, { query: new Map(), open: [], nodes: [], below: undefined, section: undefined });
}

const flat = () =>
  new UsageError(
    'The lines of this plan lost their indentation, or were broken at the width of a window. Copy them again with the spaces at their start, or use EXPLAIN (FORMAT JSON).',
  );

/** An arrow before what is no node is an operator, where a condition or the SQL of a remote server goes on. */
const NODE = /^->\s*[A-Za-z]/;

function goOn({ node }: Open, text: string): void {
  const remote = node.get('Remote SQL');
  if (typeof remote === 'string') node.set('Remote SQL', `${remote} ${text}`);
  else keep(node, text);
}

function readOne(reading: Reading, line: string): void {
  const text = line.trim();
  const indent = line.length - line.trimStart().length;
  if (text === '') return;
  const isArrow = NODE.test(text);
  const last = reading.open.at(-1);
  if (!isArrow && text.startsWith('->') && last !== undefined) {
    goOn(last, text);
    return;
  }
  if (reading.nodes.length === 0) {
    readBefore(reading, line, { indent, text });
    return;
  }
  reading.below ??= indent;
  while (reading.open.length > 0 && (reading.open.at(-1)?.indent ?? 0) >= indent) reading.open.pop();
  if (reading.open.length === 1 && indent < reading.below) reading.open.pop();
  const top = reading.open.at(-1);
  if (top === undefined && isArrow) throw flat();
  if (top === undefined && isNextPlan(text)) {
    nextPlan(reading);
    readBefore(reading, line, { indent, text });
    return;
  }
  const head = isArrow && top !== undefined ? readHead(text.replace(/^->\s*/, ''), true) : undefined;
  if (head !== undefined) addNode(reading, head, indent);
  else if (top !== undefined) readProperty(top, { indent, text });
  else readSummary(reading, { indent, text });
}

/** All plans of a text, none where no line is a node of one. */
export function readText(text: string): Group[] {
  const reading: Reading = {
    before: [],
    query: new Map(),
    open: [],
    nodes: [],
    below: undefined,
    section: undefined,
  };
  for (const line of withoutBreaks(text.split('\n'))) readOne(reading, line.trimEnd());
  if (reading.nodes.length === 0) return reading.before;
  fillBuffers(reading);
  return [...reading.before, reading.query];
}
