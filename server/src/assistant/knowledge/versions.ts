// Which versions of PostgreSQL the knowledge base tells of, and runs of them as they are written in its files.

export const VERSIONS = [14, 15, 16, 17, 18, 19] as const;

export type Version = (typeof VERSIONS)[number];

/** `14-16`, `18`, or `14-15,17` where one is left out. */
export function runsOf(versions: readonly Version[]): string {
  const runs: Version[][] = [];
  for (const version of VERSIONS) {
    if (!versions.includes(version)) continue;
    const last = runs.at(-1);
    if (last?.at(-1) === version - 1) last.push(version);
    else runs.push([version]);
  }
  return runs.map((run) => (run.length === 1 ? `${run[0]}` : `${run[0]}-${run.at(-1)}`)).join(',');
}

export function versionsOf(text: string): Version[] {
  const runs = text.split(',').map((run) => run.split('-').map(Number));
  return VERSIONS.filter((version) => runs.some(([from = 0, to = from]) => version >= from && version <= to));
}

/** For sentences: `since 17`, `until 16`, `in 15 and 16 only`; undefined: in all of them. */
export function spanWords(versions: readonly Version[]): string | undefined {
  const [first] = versions;
  const last = versions.at(-1);
  if (versions.length === VERSIONS.length || first === undefined || last === undefined) return undefined;
  if (last === VERSIONS.at(-1)) return `since version ${first}`;
  if (first === VERSIONS[0]) return `until version ${last}`;
  return `in ${first === last ? 'version' : 'versions'} ${runsOf(versions)} only`;
}
