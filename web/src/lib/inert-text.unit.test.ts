// The clipboard gets what the server would print.
import { expect, it } from 'vitest';
import { inertBlock as ofServer } from '../../../server/src/kernel/inert-text.ts';
import { inertBlock } from './inert-text.ts';

const HALF = ['\ud83d', '\ude00'];

it('treats every character as the server does', () => {
  const planes = [0, 0x1, 0xe].flatMap((plane) =>
    Array.from({ length: 0x10000 }, (_none, at) => String.fromCodePoint(plane * 0x10000 + at)),
  );
  const odd = [...planes, ...HALF].filter((one) => inertBlock(`a${one}b`) !== ofServer(`a${one}b`));
  expect(odd.map((one) => one.codePointAt(0)?.toString(16))).toEqual([]);
  expect(inertBlock('select 1;\n\u001b[201~\trm -rf ~\r\n')).toBe('select 1;\n?[201~\trm -rf ~\n');
});
