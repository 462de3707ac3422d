import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configuredNumber, logTail, rotateLog, writeConfig } from './pg-files.ts';

const directory = mkdtempSync(path.join(os.tmpdir(), 'matriarch-files-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('writeConfig', () => {
  it('quotes values and is read back', () => {
    const settings = { port: 5433, jit: false, log_line_prefix: `it's %m ` };
    writeConfig({ directory, user: null, settings, hba: ['local all all trust'] });
    const file = path.join(directory, 'matriarch.conf');
    const text = readFileSync(file, 'utf8');
    expect(text.split('\n').slice(1, 4)).toEqual([
      'port = 5433',
      'jit = off',
      `log_line_prefix = 'it''s %m '`,
    ]);
    expect(configuredNumber(text, 'port')).toBe(5433);
    expect(configuredNumber(text, 'jit')).toBeNull();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(path.join(directory, 'pg_hba.conf'), 'utf8')).toContain('local all all trust\n');
  });
});

describe('the log', () => {
  it('gives its last lines from a position on', () => {
    const file = path.join(directory, 'tail.log');
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    writeFileSync(file, lines.join('\n'));
    expect(logTail(file).split('\n')).toEqual(lines.slice(-12));
    expect(logTail(file, statSync(file).size - 7)).toBe('line 29');
    expect(logTail(path.join(directory, 'none.log'))).toBe('');
  });

  it('is emptied when too large, its content kept once', () => {
    const file = path.join(directory, 'big.log');
    writeFileSync(file, 'x'.repeat(100));
    const copies: string[] = [];
    rotateLog(file, 100, (_, to) => copies.push(to));
    expect(copies).toEqual([]);
    rotateLog(file, 99, (_, to) => copies.push(to));
    expect(copies).toEqual([`${file}.1`]);
    expect(statSync(file).size).toBe(0);
  });
});
