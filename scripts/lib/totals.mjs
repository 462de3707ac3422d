// The last lines of npm test and npm run prove, from vitest's JSON report. Guards: a run that went wrong in any way never reads as
// "0 failed": a file that could not be loaded counts as one failure, and so does an error outside every test.

/** Takes vitest's exit code and report (null when it wrote none). */
export function totals({ code, report }) {
  const files = report?.testResults ?? [];
  const unloadable = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const passed = report?.numPassedTests ?? 0;
  let failed = (report?.numFailedTests ?? 0) + unloadable.length;
  if (code !== 0 && failed === 0) failed = 1;
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  const counts = [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  return { line: counts.join(', '), ok: failed === 0 };
}

const SHOWN = 20;

/** The files that took longest, as lines to print, the slowest first; `root` is what their names begin with. */
export function slowest(report, root) {
  const files = (report?.testResults ?? []).map(({ name, startTime, endTime }) => ({
    name: name.replace(`${root}/`, ''),
    seconds: (endTime - startTime) / 1000,
  }));
  const first = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
  if (first.length === 0) return [];
  const lines = first.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`);
  return [`The slowest of ${files.length} files:`, ...lines];
}
