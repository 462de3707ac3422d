// What a plan says of the statement as a whole: JIT, triggers, settings, planning.
import { EXTENSION_KEYS } from './extension-keys.ts';
import type { Counted } from './node.ts';
import { type Group, groupsAt, isGroup, lineOf, numberAt, textAt } from './read/document.ts';
import type { Condition, Jit, Trigger } from './types.ts';

const READ = [
  ...[
    'Plan',
    'Query Text',
    'Query Identifier',
    'Planning Time',
    'Execution Time',
    'Triggers',
    'Settings',
    'JIT',
  ],
];
/** Known, and shown as they are written. */
const SHOWN = ['Planning', 'Serialization', 'Query Parameters', 'Other Lines', 'Nodes Above'];

/** Of the text: `Generation 1.2 ms (Deform 0.3 ms), …, Total 8.9 ms`. */
function totalOf(jit: Group): number | null {
  const timing = jit.get('Timing');
  if (isGroup(timing)) return numberAt(timing, 'Total');
  const total = typeof timing === 'string' ? /Total (\d+(?:\.\d+)?) ms$/.exec(timing)?.[1] : undefined;
  return total === undefined ? null : Number(total);
}

export function jitOf(query: Group): Jit | null {
  const jit = query.get('JIT');
  if (!isGroup(jit)) return null;
  const options = lineOf(jit.get('Options'));
  return {
    functions: numberAt(jit, 'Functions'),
    total_ms: totalOf(jit),
    options: options === '' ? null : options,
  };
}

/** `constraint orders_customer_fkey`, as the text names it; with VERBOSE the name of the trigger stands before it. */
function triggerName(one: Group): string {
  const name = textAt(one, 'Trigger Name') ?? 'unnamed';
  const constraint = textAt(one, 'Constraint Name') ?? /(?:^| for )constraint (.+)$/.exec(name)?.[1];
  return constraint === undefined ? name : `constraint ${constraint}`;
}

export const triggersOf = (query: Group): Trigger[] =>
  groupsAt(query, 'Triggers').map((one) => ({
    name: triggerName(one),
    relation: textAt(one, 'Relation'),
    ms: numberAt(one, 'Time'),
    calls: numberAt(one, 'Calls'),
  }));

export function settingsOf(query: Group): Record<string, string> {
  const settings = query.get('Settings');
  if (!isGroup(settings)) return {};
  // Each becomes a member of its own, whatever it is called.
  return Object.fromEntries([...settings].map(([name, value]) => [name, lineOf(value)]));
}

export function flatDetails(query: Group, counted: Counted): Condition[] {
  return [...query].flatMap(([name, value]) => {
    if (READ.includes(name)) return [];
    const isKnown = (SHOWN.includes(name) && name !== 'Other Lines') || EXTENSION_KEYS.has(name);
    if (!isKnown) {
      counted.unknown += name === 'Other Lines' && Array.isArray(value) ? value.length : 1;
      if (counted.names.size < 100) counted.names.add(name);
    }
    return [{ name, text: lineOf(value) }];
  });
}
