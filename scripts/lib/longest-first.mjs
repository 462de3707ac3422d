// The order in which files of tests run: of each project those that take longest first, so that none of them runs alone at the
// end. What is not named here takes a few seconds; a name that is not there any more does no harm.
import { BaseSequencer } from 'vitest/node';

const LONGEST = [
  'server/src/api/matrix',
  'server/src/store/compact/many-objects',
  'server/src/store/read/model',
  'server/src/store/compact/compact',
  'server/src/app',
  'server/src/collector/complete',
  'server/src/collector/probe-settings',
  'server/src/collector/collector',
  'server/src/collector/handover',
  'server/src/collector/server-wide',
  'server/src/collector/counters',
  'server/src/stop',
  'server/src/collector/quiet-log',
  'server/src/collector/requirements',
  'server/src/areas/connections/live-limiter',
  'server/src/collector/faults',
  'server/src/cli/frozen',
  'e2e/pages',
  'e2e/moments',
  'e2e/polling',
  'e2e/dead-server',
  'e2e/admin-pages',
  'e2e/clusters',
  'e2e/connections',
  'e2e/activity',
  'e2e/admin',
  'e2e/probes',
  'e2e/tables',
  'e2e/access',
  'e2e/outage',
  'e2e/keyboard',
  'e2e/first-visit',
  'e2e/descriptions',
  'e2e/first-paint',
];
const rank = new Map(LONGEST.map((name, index) => [`/${name}.test.ts`, index]));

function rankOf({ moduleId }) {
  for (const [end, index] of rank) if (moduleId.endsWith(end)) return index;
  return LONGEST.length;
}

/** Projects stay together: a worker is kept only while the next file is of the same one, and else everything is loaded anew. */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const placeOf = ({ project }) => projects.indexOf(project.name);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b) || rankOf(a) - rankOf(b));
  }
}
