// Where a block comment of SQL ends. Pure. Guards: comments nest; one that is not closed reaches to the end of the text.

/** Behind the comment that begins at `start`. */
export function commentEnd(text: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}
