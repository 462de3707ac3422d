// Text in lines of a terminal's width, broken between words. Guards: control characters never reach the terminal.
import { inertBlock } from '../kernel/inert-text.ts';

export function wrapped(text: string, indent: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of inertBlock(text).trim().split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && indent.length + longer.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, indent + line];
}
