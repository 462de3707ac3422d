// The order of test files where no run is remembered, as in a fresh clone: what takes minutes begins first, so that at the end of a run
// no worker is busy alone with a long file. Vitest itself goes by sizes of files there, which say little of their time.
import { BaseSequencer } from 'vitest/node';

/** The longest first, as the last lines of a run list them. A file that is missing here is only begun later. */
export const LONGEST = [
  'server/src/monitored/read-only-sql/attacks.kit.test.ts',
  'server/src/package-deb.proof.test.ts',
  'server/src/alerting/alerter/one-judgement.kit.test.ts',
  'server/src/alerting/alerter/patroni.proof.test.ts',
  'server/src/alerting/alerter/rule.kit.test.ts',
  'server/src/api/matrix.kit.test.ts',
  'server/src/collector/complete.proof.test.ts',
  'server/src/collector/logs/log-faults.proof.test.ts',
  'server/src/insight/findings/check-18.kit.test.ts',
  'server/src/insight/findings/check-17.proof.test.ts',
  'server/src/app/backup.proof.test.ts',
  'server/src/app/app.proof.test.ts',
  'server/src/app/start-stop.proof.test.ts',
  'server/src/package.proof.test.ts',
  'server/src/insight/query-plans/regression.proof.test.ts',
  'server/src/insight/findings/check-14.proof.test.ts',
  'server/src/insight/findings/check-15.proof.test.ts',
  'server/src/insight/findings/check-16.proof.test.ts',
  'server/src/assistant/tools/matrix.kit.test.ts',
  'server/src/monitored/read-only-sql/ordinary.kit.test.ts',
  'e2e/alerts.proof.test.ts',
  'e2e/pages.proof.test.ts',
  'e2e/moments.proof.test.ts',
  'e2e/findings.proof.test.ts',
  'e2e/clusters.proof.test.ts',
  'e2e/polling.proof.test.ts',
  'e2e/chat-journeys.proof.test.ts',
  'e2e/dead-server.proof.test.ts',
  'e2e/plans.proof.test.ts',
  'e2e/report.proof.test.ts',
];

function rank({ moduleId }) {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
  return at === -1 ? LONGEST.length : at;
}

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    // Groups and projects stay in their order.
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((own) => own.toSorted((a, b) => rank(a) - rank(b)));
  }
}
