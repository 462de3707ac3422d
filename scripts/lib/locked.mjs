// The part of a lockfile that some packages need: what a package of ours ships as npm-shrinkwrap.json, and what its SBOM and its
// notices list. Guards: nothing is resolved anew; each package has the version and the hash of package-lock.json.

/** Where Node finds `name` for the package at `from`: beside it, then in each folder above. */
function placeOf(packages, name, from) {
  for (let folder = from; ; ) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (place in packages) return place;
    if (folder === '') return undefined;
    const above = folder.lastIndexOf('/node_modules/');
    folder = above < 0 ? '' : folder.slice(0, above);
  }
}

function namesOf({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) {
  const isNeeded = (name) => !peerDependenciesMeta?.[name]?.optional && !optionalDependencies?.[name];
  const required = [...Object.keys(dependencies ?? {}), ...Object.keys(peerDependencies ?? {})];
  return { required: required.filter(isNeeded), optional: Object.keys(optionalDependencies ?? {}) };
}

/** The places of all packages that those in `names` need without which they do not work. */
function closure(packages, names, known) {
  const waiting = names.map((name) => ({ name, from: '' }));
  const optional = [];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const place = placeOf(packages, next.name, next.from);
    if (place === undefined) throw new Error(`package-lock.json has no ${next.name}.`);
    if (known.has(place)) continue;
    known.add(place);
    const needed = namesOf(packages[place]);
    waiting.push(...needed.required.map((name) => ({ name, from: place })));
    optional.push(...needed.optional.map((name) => ({ name, from: place })));
  }
  return optional;
}

/** A lockfile of `manifest` with what it needs of `lock`. */
export function lockedFor(lock, manifest) {
  const { packages } = lock;
  const { required, optional } = namesOf(manifest);
  const needed = new Set();
  const further = closure(packages, required, needed);
  const all = new Set(needed);
  for (const { name, from } of [...optional.map((name) => ({ name, from: '' })), ...further]) {
    const place = placeOf(packages, name, from);
    // npm leaves out of a lockfile what exists for no platform that it knows.
    if (place !== undefined) closure(packages, [place.slice('node_modules/'.length)], all);
  }
  const entries = [...all].sort().map((place) => {
    const { dev: _dev, devOptional: _devOptional, optional: _optional, ...entry } = packages[place];
    return [place, needed.has(place) ? entry : { ...entry, optional: true }];
  });
  const { name, version } = manifest;
  const { lockfileVersion } = lock;
  const root = { ...manifest };
  return {
    name,
    version,
    lockfileVersion,
    requires: true,
    packages: { '': root, ...Object.fromEntries(entries) },
  };
}
