// Versions that get no more fixes, or soon get none.

import { DAY_MS } from '../../kernel/units.ts';
import { endOfLife, majorOf, releaseName } from './postgres-releases.ts';
import { defineCheck, foundOnServer, NOTHING, unknown } from './types.ts';

/** To plan an upgrade takes so long. */
const AHEAD_DAYS = 270;

export const check = defineCheck({
  name: 'major_end_of_life',
  category: 'versions',
  title: 'PostgreSQL version at end of life',
  meaning: 'After its end of life, the version gets no bug or security fixes.',
  advice:
    'Plan the upgrade to a supported version with pg_upgrade, or with logical replication for little downtime.',
  caution:
    'Extensions must be available for the new version. After most upgrades, statistics must be collected again.',
  source: 'upgrading.html',
  proof: 'stated',
  reads: { pg_server_info: ['server_version_num'] },
  judge: (facts) => {
    const version = facts.versionNum;
    const end = endOfLife(version);
    if (end === undefined)
      return unknown(`The end of life of PostgreSQL ${releaseName(version)} is unknown.`);
    const days = Math.floor((end - facts.now) / DAY_MS);
    if (days > AHEAD_DAYS) return NOTHING;
    const day = new Date(end).toISOString().slice(0, 10);
    const major = majorOf(version);
    return foundOnServer({
      severity: days < 0 ? 'warning' : 'info',
      message:
        days < 0
          ? `PostgreSQL ${major} reached its end of life on ${day} and gets no more fixes.`
          : `PostgreSQL ${major} reaches its end of life on ${day}, in ${days} days.`,
      figure: null,
      evidence: { major, end_of_life: day },
      remedy:
        '-- With the new version installed next to it and both servers shut down:\npg_upgrade --check -b "$OLD_BIN" -B "$NEW_BIN" -d "$OLD_PGDATA" -D "$NEW_PGDATA"',
    });
  },
});
