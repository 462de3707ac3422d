// The order in which files of tests run: those that take longest first, so that none of them runs alone at the end. What is
// not named here takes a few seconds; a name that is not there any more does no harm.
import { BaseSequencer } from 'vitest/node';

const LONGEST = [
  'e2e/pages',
  'server/src/app',
  'e2e/admin-pages',
  'server/src/collector/complete',
  'e2e/moments',
  'server/src/collector/probe-settings',
  'e2e/polling',
  'server/src/collector/requirements',
  'e2e/admin',
  'server/src/api/matrix',
  'e2e/clusters',
  'e2e/connections',
  'e2e/activity',
  'server/src/collector/handover',
  'e2e/probes',
  'server/src/collector/collector',
  'e2e/tables',
  'e2e/access',
  'server/src/collector/quiet-log',
  'e2e/dead-server',
  'server/src/collector/counters',
  'server/src/store/compact/many-objects',
  'e2e/keyboard',
  'server/src/collector/server-wide',
  'server/src/stop',
  'server/src/areas/connections/live-limiter',
  'e2e/outage',
  'server/src/collector/faults',
  'e2e/descriptions',
  'e2e/first-paint',
  'server/src/store/compact/compact',
  'server/src/cli/frozen',
  'e2e/first-visit',
];
const rank = new Map(LONGEST.map((name, index) => [`/${name}.test.ts`, index]));

function rankOf({ moduleId }) {
  for (const [end, index] of rank) if (moduleId.endsWith(end)) return index;
  return LONGEST.length;
}

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
