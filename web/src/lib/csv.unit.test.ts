// Cells of CSV: quoted where they have to be, no formulas, nothing for what is not known.
import { expect, it } from 'vitest';
import { csvText } from './csv.ts';

it.each([
  [['a', 1.5, null, true], 'a,1.5,,true'],
  [['say "no", twice', 'two\nlines'], '"say ""no"", twice","two\nlines"'],
  [['=1+1', '@x', '-2+3', '\tx'], "'=1+1,'@x,'-2+3,'\tx"],
  [['-4725382164029184731', -2.5], '-4725382164029184731,-2.5'],
])('%j', (cells, text) => expect(csvText([cells])).toBe(`${text}\r\n`));
