// Which methods a path has, by the operations' own templates: exact, case-sensitive, a fixed path before one with
// parameters. This answers 405 with Allow, and keeps PUT /connections/current from being read as an id.

import type { Operation } from '../kernel/contract.ts';
import { append } from '../kernel/lists.ts';

export interface KnownPath {
  template: string;
  /** As the Allow header lists them. */
  methods: string[];
}

interface Matcher extends KnownPath {
  pattern: RegExp;
}

function patternOf(template: string): RegExp {
  const source = template
    .split(/(\{[^{}]+\})/)
    .map((part) => (part.startsWith('{') ? '[^/]*' : RegExp.escape(part)));
  return new RegExp(`^${source.join('')}$`);
}

const PARAMETER = /\{[^{}]+\}/g;
/** Behind every character of a path. */
const LAST = '\u{10ffff}';

/** By their segments from the left, a fixed one before a parameter. */
const byFixedParts = (a: KnownPath, b: KnownPath) => {
  const key = ({ template }: KnownPath) => template.replaceAll(PARAMETER, LAST);

  return key(a) < key(b) ? -1 : Number(key(a) > key(b));
};

function slashesIn(path: string): number {
  let count = 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) count += 1;
  return count;
}

/** The path that serves `pathname`, or undefined when there is none. */
export function pathTable(operations: readonly Operation[]): (pathname: string) => KnownPath | undefined {
  const fixed = new Map<string, KnownPath>();
  const open: Matcher[] = [];
  for (const { path, method } of operations) {
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
    const known = fixed.get(path) ?? open.find(({ template }) => template === path);
    if (known) append(known.methods, methods);
    else if (path.includes('{')) open.push({ template: path, methods, pattern: patternOf(path) });
    else fixed.set(path, { template: path, methods });
  }
  open.sort(byFixedParts);
  // A parameter holds no slash, so a path is only ever one of those with as many.
  const bySlashes = Map.groupBy(open, ({ template }) => slashesIn(template));
  return (pathname) =>
    fixed.get(pathname) ?? bySlashes.get(slashesIn(pathname))?.find(({ pattern }) => pattern.test(pathname));
}
