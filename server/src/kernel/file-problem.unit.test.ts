// What is said of files that cannot be read; permission is tried here, for root may read everything.
import { expect, it } from 'vitest';
import { fileProblem } from './file-problem.ts';

const failed = (code: string) => Object.assign(new Error(`${code}: open`), { code });

it.each([
  ['EACCES', 'cannot be read: this account lacks permission'],
  ['EISDIR', 'is a directory: name a file in it'],
  ['EWHATEVER', 'cannot be read (EWHATEVER)'],
])('of %s: %s', (code, words) => {
  expect(fileProblem(failed(code))).toBe(words);
});

it('of what is no error of the system', () => {
  expect(fileProblem(new Error('odd'))).toBe('cannot be read');
});
