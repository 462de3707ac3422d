// The last line of npm test, from vitest's JSON report. Guards: a run that went wrong in any way never reads as
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
