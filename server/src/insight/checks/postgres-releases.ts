// Releases of PostgreSQL as they were known on a day. Guards: nothing is claimed about what came later, and who shows it says of
// which day it is. Sources: the release announcements and the versioning policy on postgresql.org.

interface Major {
  /** The newest minor release of that day. */
  readonly newest: number;
  /** Numbers that were never released. */
  readonly skipped?: readonly number[];
  /** Day of the last minor release that is planned. */
  readonly endOfLife: string;
}

/** The day of the newest releases in the table. */
export const KNOWN_ON = '2026-08-13';

const MAJORS: Readonly<Record<string, Major>> = {
  '13': { newest: 23, endOfLife: '2025-11-13' },
  '14': { newest: 24, endOfLife: '2026-11-12' },
  '15': { newest: 19, endOfLife: '2027-11-11' },
  '16': { newest: 15, endOfLife: '2028-11-09' },
  '17': { newest: 11, endOfLife: '2029-11-08' },
  '18': { newest: 6, skipped: [5], endOfLife: '2030-11-14' },
  '19': { newest: 0, endOfLife: '2031-11-13' },
};

/** `18.4`. */
export const releaseName = (version_num: number): string =>
  `${Math.floor(version_num / 10_000)}.${version_num % 10_000}`;

export const majorOf = (version_num: number): number => Math.floor(version_num / 10_000);

export interface Behind {
  /** Releases that came after it. */
  readonly releases: number;
  /** `18.6`. */
  readonly newest: string;
}

/** Undefined: of that major version nothing is known. */
export function releasesBehind(version_num: number): Behind | undefined {
  const major = MAJORS[majorOf(version_num)];
  if (!major) return undefined;
  const minor = version_num % 10_000;
  const skipped = (major.skipped ?? []).filter((one) => one > minor && one < major.newest).length;
  const releases = Math.max(0, major.newest - minor - skipped);
  return { releases, newest: `${majorOf(version_num)}.${major.newest}` };
}

/** Milliseconds since the epoch; undefined: not known. */
export function endOfLife(version_num: number): number | undefined {
  const day = MAJORS[majorOf(version_num)]?.endOfLife;
  return day === undefined ? undefined : Date.parse(day);
}
