// Versions that get no more fixes, or soon get none.

import { DAY_MS } from '../../kernel/units.ts';
import { endOfLife, majorOf, releaseName } from './postgres-releases.ts';
import { defineCheck, NOTHING, unknown } from './types.ts';

/** To plan an upgrade takes so long. */
const AHEAD_DAYS = 270;

export const check = defineCheck({
  name: 'major_end_of_life',
  category: 'versions',
  title: 'The version reaches its end of life',
  meaning: 'From then on nobody mends faults and holes in the security of this version.',
  advice:
    'Plan the upgrade to a version that is supported: pg_upgrade, or logical replication with little downtime.',
  caution:
    'Extensions have to be there for the new version, and statistics have to be made anew after most upgrades.',
  source: 'upgrading.html',
  proof: 'stated',
  reads: { pg_server_info: ['server_version_num'] },
  judge: (facts) => {
    const version = facts.versionNum;
    const end = endOfLife(version);
    if (end === undefined)
      return unknown(`The end of life of PostgreSQL ${releaseName(version)} is not known here.`);
    const days = Math.floor((end - facts.now) / DAY_MS);
    if (days > AHEAD_DAYS) return NOTHING;
    const day = new Date(end).toISOString().slice(0, 10);
    const major = majorOf(version);
    return {
      found: [
        {
          database_name: '',
          object_name: '',
          severity: days < 0 ? 'warning' : 'info',
          message:
            days < 0
              ? `PostgreSQL ${major} has had its last release on ${day}, as planned: it gets no more fixes.`
              : `PostgreSQL ${major} has its last release on ${day}, in ${days} days.`,
          figure: null,
          evidence: { major, end_of_life: day },
          remedy:
            '-- With the new version installed beside it and both servers shut down:\npg_upgrade --check -b "$OLD_BIN" -B "$NEW_BIN" -d "$OLD_PGDATA" -D "$NEW_PGDATA"',
        },
      ],
    };
  },
});
