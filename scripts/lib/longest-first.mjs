// The order in which files of tests run: those that take longest first, so that none of them runs alone at the end. What is
// not named here takes a few seconds; a name that is not there any more does no harm.
import { BaseSequencer } from 'vitest/node';

const LONGEST = [
  'e2e/admin-pages',
  'e2e/pages',
  'server/src/app',
  'server/src/collector/complete',
  'server/src/collector/requirements',
  'server/src/collector/probe-settings',
  'server/src/api/matrix',
  'server/src/collector/collector',
  'server/src/collector/handover',
  'server/src/collector/server-probes',
  'server/src/collector/quiet-log',
  'e2e/dead-server',
  'e2e/clusters',
  'server/src/collector/counters',
  'server/src/collector/server-wide',
  'server/src/datastore/embedded',
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
