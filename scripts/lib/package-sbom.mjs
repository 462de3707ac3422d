// The list of what is in the package (CycloneDX), as npm writes it: the packages within the built program and pages, and those that are
// installed with it, each with its licence and hash.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runNpm, writeJson } from './package-tarball.mjs';
import { shippedLock, shippedManifest } from './shipped.mjs';

/** npm gives each list a number by chance and the time; a number made of the content is as good, and the same each time. */
function withoutChance({ serialNumber: _chance, ...sbom }) {
  const { timestamp: _now, ...metadata } = sbom.metadata;
  const same = { ...sbom, metadata };
  const hex = createHash('sha256').update(JSON.stringify(same)).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return { ...same, serialNumber: `urn:uuid:${parts.join('-')}-${hex.slice(20, 32)}` };
}

/** Writes it beside the tarball; answers its name. */
export async function makeSbom(stage, out) {
  const folder = path.join(stage, 'sbom');
  mkdirSync(folder);
  const wanted = shippedManifest();
  writeJson(path.join(folder, 'package.json'), wanted);
  writeJson(path.join(folder, 'package-lock.json'), shippedLock());
  const text = await runNpm(['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], folder);
  const file = `${wanted.name}-${wanted.version}.cdx.json`;
  writeFileSync(path.join(out, file), `${JSON.stringify(withoutChance(JSON.parse(text)), null, 2)}\n`);
  return file;
}
