// Finds calls that get a list spread into their arguments, `f(...list)`. Each element takes room on the stack, which
// overflows beyond about 120,000 of them. Lists within lists and objects, `[...list]`, are no calls and may be long.

/** Where the bracket that is open at this place was opened; -1 without one. */
function opening(code: string, offset: number): number {
  let depth = 0;
  for (let at = offset; at >= 0; at -= 1) {
    const sign = code.charAt(at);
    if (/[)\]}]/.test(sign)) depth += 1;
    else if (/[([{]/.test(sign)) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return -1;
}

/** Where the bracket that opens at this place is closed. */
function closing(code: string, offset: number): number {
  let depth = 0;
  for (let at = offset; at < code.length; at += 1) {
    const sign = code.charAt(at);
    if (/[([{]/.test(sign)) depth += 1;
    else if (/[)\]}]/.test(sign)) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

/** The calls, each on one line; `code` is without comments, and its texts are empty. */
export function spreadArguments(code: string): string[] {
  return [...code.matchAll(/[(,]\s*\.\.\./g)].flatMap(({ index }) => {
    const open = opening(code, code.charAt(index) === '(' ? index : index - 1);
    // A call follows a name or another call; what else is in round brackets is no list of arguments.
    if (code.charAt(open) !== '(' || !/[\w$)\]>]$/.test(code.slice(0, open).trimEnd().slice(-1))) return [];
    const close = closing(code, open);
    const isParameters =
      code
        .slice(close + 1)
        .trimStart()
        .startsWith('=>') || /^[(,]\s*\.{3}\w+\s*:/.test(code.slice(index));
    if (isParameters) return [];
    const name = /[\w$.#]*$/.exec(code.slice(0, open))?.[0] ?? '';
    return [`${name}${code.slice(open, close + 1).replace(/\s+/g, ' ')}`.slice(0, 100)];
  });
}
