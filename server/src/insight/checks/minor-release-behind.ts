// Servers that lack the newest minor releases of their version, as far as these were known when this was written.
import { KNOWN_ON, releaseName, releasesBehind } from './postgres-releases.ts';
import { defineCheck, foundOnServer, NOTHING, unknown } from './types.ts';

/** About a year of releases. */
const NOTABLE = 4;

export const check = defineCheck({
  name: 'minor_release_behind',
  category: 'versions',
  title: 'Missing minor releases',
  figureName: 'minor releases behind',
  meaning: 'Minor releases contain only bug and security fixes.',
  advice: 'Install the newest minor release of the version, and restart the server.',
  caution:
    'The restart causes downtime. Read the release notes, because some releases require reindexing. Update standbys first.',
  source: 'release.html',
  proof: 'stated',
  reads: { pg_server_info: ['server_version', 'server_version_num'] },
  judge: (facts) => {
    const version = facts.versionNum;
    const behind = releasesBehind(version);
    if (!behind) return unknown(`The releases of PostgreSQL ${releaseName(version)} are unknown.`);
    if (behind.releases === 0) return NOTHING;
    const many = behind.releases === 1 ? 'release' : 'releases';
    return foundOnServer({
      severity: behind.releases >= NOTABLE ? 'warning' : 'info',
      message: `PostgreSQL ${releaseName(version)} is ${behind.releases} minor ${many} behind ${behind.newest}, the newest known on ${KNOWN_ON}.`,
      figure: { value: behind.releases, unit: 'count' },
      evidence: {
        server_version: facts.row('pg_server_info')?.text('server_version') ?? null,
        newest_release: behind.newest,
        known_on: KNOWN_ON,
      },
      remedy: `-- Install PostgreSQL ${behind.newest} or newer with the packages of the host, then:\npg_ctl restart -D "$PGDATA" -m fast`,
    });
  },
  figureAfter: (facts) => releasesBehind(facts.versionNum)?.releases ?? null,
});
