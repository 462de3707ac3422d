// The last lines of npm test and npm run prove, from vitest's JSON report. Guards: a run that went wrong in any way never reads as
// "0 failed": a file that could not be loaded counts as one failure, and so does an error outside every test; and what failed at first
// is named, also where it passed alone.

function count({ code, report }) {
  const files = report?.testResults ?? [];
  const unloadable = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  let failed = (report?.numFailedTests ?? 0) + unloadable.length;
  if (code !== 0 && failed === 0) failed = 1;
  return {
    passed: report?.numPassedTests ?? 0,
    failed,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  };
}

/** More than so many are no race. */
const MOST_AGAIN = 5;

/** The files that failed, when they are few enough to be run once more alone; none where the run itself broke. */
export function filesToRunAgain({ report }) {
  const files = (report?.testResults ?? []).filter(({ status }) => status === 'failed');
  return files.length <= MOST_AGAIN ? files.map(({ name }) => name) : [];
}

const namesOfFailed = ({ report }) =>
  (report?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${name} > ${fullName}`),
  );

/**
 * Takes vitest's exit code and report (null when it wrote none), and the same of the files that failed and were run once more alone.
 * Gives the line to print, the tests that failed at first and passed alone, and whether all is well.
 */
export function totals(outcome, alone) {
  const first = count(outcome);
  const again = alone && count(alone);
  const mended = again ? first.failed - again.failed : 0;
  const isBetter = mended > 0 && again.passed >= first.failed;
  const failed = isBetter ? again.failed : first.failed;
  const parts = [
    `${first.passed + (isBetter ? mended : 0)} passed`,
    `${failed} failed`,
    ...(first.skipped > 0 ? [`${first.skipped} skipped`] : []),
    ...(isBetter ? [`${mended} passed at the second try`] : []),
  ];
  const still = new Set(isBetter ? namesOfFailed(alone) : namesOfFailed(outcome));
  const unsteady = namesOfFailed(outcome).filter((name) => !still.has(name));
  return { line: parts.join(', '), unsteady, ok: failed === 0 };
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
