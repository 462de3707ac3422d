// Standbys that run another minor release than their primary. Guards: that is how releases are installed, standbys first, so it is a
// note for a standby that is ahead; one that is behind lacks fixes that its primary has.
import { releaseName } from './postgres-releases.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

export const check = defineCheck({
  name: 'standby_version_differs',
  category: 'versions',
  title: 'Different minor releases in a cluster',
  figureName: 'minor releases apart',
  meaning: 'After a failover, fixed bugs may return, or new ones may appear.',
  advice: 'Update all members of the cluster to the same minor release.',
  caution: 'The restart causes downtime. Update standbys before their primary.',
  source: 'warm-standby.html#STANDBY-PLANNING',
  proof: 'stated',
  where: 'standby',
  comparesMembers: true,
  reads: { pg_server_info: ['server_version', 'server_version_num'] },
  judge: (facts) => {
    const primary = facts.members.find((member) => member.isStandby === false);
    const [here, there] = [facts.versionNum, primary?.versionNum ?? 0];
    if (here === 0 || there === 0 || here === there) return NOTHING;
    const [newer, older] = here > there ? [here, there] : [there, here];
    return foundOnServer({
      severity: here < there ? 'warning' : 'info',
      message: `This standby runs PostgreSQL ${releaseName(here)}, and its primary ${releaseName(there)}.`,
      figure: { value: newer - older, unit: 'count' },
      evidence: { server_version_num: here, primary_server_version_num: there },
      remedy: `-- Install PostgreSQL ${releaseName(newer)} on the older of the two with the packages of its host, then there:\npg_ctl restart -D "$PGDATA" -m fast`,
    });
  },
});
