import { describe, expect, it } from 'vitest';
import { recordAgrees } from './install.mjs';
import { filesToRunAgain, slowest, totals } from './totals.mjs';

const file = (status, ...tests) => ({ status, assertionResults: tests.map((one) => ({ status: one })) });

describe('the last line of npm test', () => {
  it('counts', () => {
    const report = {
      numPassedTests: 3,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      testResults: [],
    };
    expect(totals({ code: 0, report })).toEqual({ line: '3 passed, 0 failed', unsteady: [], ok: true });
    expect(totals({ code: 0, report: { ...report, numPendingTests: 2 } }).line).toBe(
      '3 passed, 0 failed, 2 skipped',
    );
  });

  it('counts a file that could not be loaded once, and a failed test once', () => {
    const testResults = [file('failed'), file('failed', 'failed', 'passed'), file('passed', 'passed')];
    const report = { numPassedTests: 2, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0, testResults };
    expect(totals({ code: 1, report })).toMatchObject({ line: '2 passed, 2 failed', ok: false });
  });

  it('never reads as good when the run went wrong', () => {
    const report = { numPassedTests: 3, numFailedTests: 0, testResults: [] };
    expect(totals({ code: 1, report })).toMatchObject({ line: '3 passed, 1 failed', ok: false });
    expect(totals({ code: 1, report: null })).toMatchObject({ line: '0 passed, 1 failed', ok: false });
  });
});

describe('files that failed, run once more alone', () => {
  const ran = (name, ...tests) => ({
    name,
    status: tests.includes('failed') ? 'failed' : 'passed',
    assertionResults: tests.map((status, index) => ({ status, fullName: `test ${index}` })),
  });
  const outcome = (passed, failed, ...testResults) => ({
    code: failed > 0 ? 1 : 0,
    report: { numPassedTests: passed, numFailedTests: failed, testResults },
  });
  const first = outcome(9, 2, ran('a', 'failed', 'passed'), ran('b', 'failed'), ran('c', 'passed'));

  it('are those that failed, and none where many did or nothing is known', () => {
    expect(filesToRunAgain(first)).toEqual(['a', 'b']);
    const many = Array.from({ length: 6 }, (_, index) => ran(`${index}`, 'failed'));
    expect(filesToRunAgain(outcome(0, 6, ...many))).toEqual([]);
    expect(filesToRunAgain({ code: 1, report: null })).toEqual([]);
  });

  it('are good when they pass, and named', () => {
    const alone = outcome(3, 0, ran('a', 'passed', 'passed'), ran('b', 'passed'));
    expect(totals(first, alone)).toEqual({
      line: '11 passed, 0 failed, 2 passed at the second try',
      unsteady: ['a > test 0', 'b > test 0'],
      ok: true,
    });
  });

  it('count as failed when they fail again', () => {
    const alone = outcome(2, 1, ran('a', 'failed', 'passed'), ran('b', 'passed'));
    expect(totals(first, alone)).toEqual({
      line: '10 passed, 1 failed, 1 passed at the second try',
      unsteady: ['b > test 0'],
      ok: false,
    });
  });

  it('never mend a run that broke outside its tests', () => {
    const broken = {
      code: 1,
      report: { numPassedTests: 3, numFailedTests: 0, testResults: [ran('a', 'passed')] },
    };
    expect(filesToRunAgain(broken)).toEqual([]);
    expect(totals(first, { code: 1, report: null }).ok).toBe(false);
  });
});

describe('what npm recorded of an installation', () => {
  const lock = {
    packages: {
      '': { name: 'root' },
      server: { version: '1' },
      'node_modules/a': { version: '1', integrity: 'x' },
      'node_modules/d': { version: '1', integrity: 'y', dev: true },
      'node_modules/o': { version: '1', integrity: 'z', optional: true },
    },
  };
  const { '': _root, server: _server, 'node_modules/o': _other, ...installed } = lock.packages;

  it('agrees when all is there, packages for other systems apart', () => {
    expect(recordAgrees(lock, { packages: installed }, true)).toBe(true);
  });

  it('agrees without development packages only where none are wanted', () => {
    const { 'node_modules/d': _dev, ...production } = installed;
    expect(recordAgrees(lock, { packages: production }, false)).toBe(true);
    expect(recordAgrees(lock, { packages: production }, true)).toBe(false);
  });

  it('disagrees about another version, other content, or no record at all', () => {
    const changed = (entry) => ({ packages: { ...installed, 'node_modules/a': entry } });
    expect(recordAgrees(lock, changed({ version: '2', integrity: 'x' }), true)).toBe(false);
    expect(recordAgrees(lock, changed({ version: '1', integrity: '!' }), true)).toBe(false);
    expect(recordAgrees(lock, null, false)).toBe(false);
  });
});

describe('the slowest files', () => {
  const ran = (name, ms) => ({
    name: `/house/${name}`,
    startTime: 1000,
    endTime: 1000 + ms,
    assertionResults: [],
  });

  it('are twenty at most, the slowest first', () => {
    const testResults = Array.from({ length: 30 }, (_, index) => ran(`${index}.test.ts`, index * 100));
    const lines = slowest({ testResults }, '/house');
    expect(lines).toHaveLength(21);
    expect(lines.slice(0, 3)).toEqual([
      'The slowest of 30 files:',
      '     2.9 s  29.test.ts',
      '     2.8 s  28.test.ts',
    ]);
  });

  it('are none where nothing ran', () => {
    expect(slowest({ testResults: [] }, '/house')).toEqual([]);
    expect(slowest(null, '/house')).toEqual([]);
  });
});
