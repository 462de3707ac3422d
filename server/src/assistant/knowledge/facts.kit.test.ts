// Everything that a PostgreSQL of a version has is an entry of the knowledge base; that the facts of each entry are those of the servers
// is in facts.proof.test.ts.
import { beforeAll, describe, expect, it } from 'vitest';
import { look, type Seen } from '../../testing/knowledge/seen.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { knowledgeEntries } from './entries.ts';

describe.each(majorsOfKits())('everything of PostgreSQL %s has its entry', (major) => {
  let seen: Seen;
  beforeAll(async () => {
    seen = await look(major);
  });
  const names = (kind: string) =>
    new Set(
      knowledgeEntries()
        .filter((entry) => entry.kind === kind && entry.versions.includes(major))
        .map(({ name }) => name),
    );
  const missing = (kind: string, wanted: Iterable<string>) => {
    const known = names(kind);
    return [...wanted].filter((name) => !known.has(name));
  };

  it('parameters', () => {
    const wanted = seen.settings.map(({ name }) => name);
    expect(wanted.length).toBeGreaterThan(330);
    expect(missing('parameter', wanted)).toEqual([]);
  });

  it('views', () => {
    const wanted = [...seen.views.keys()];
    expect(wanted.length).toBeGreaterThan(60);
    expect(missing('view', wanted)).toEqual([]);
  });

  it('error codes and their classes', () => {
    const wanted = seen.errors.map(({ code }) => code);
    expect(wanted.length).toBeGreaterThan(230);
    expect(missing('error code', wanted)).toEqual([]);
    expect(missing('error class', new Set(wanted.map((code) => code.slice(0, 2))))).toEqual([]);
  });

  it('wait events', () => {
    const { waits } = seen;
    // Until 16 the server lists none: its program holds them.
    if (waits)
      expect(
        missing(
          'wait event',
          waits.map(({ name }) => name),
        ),
      ).toEqual([]);
    expect(names('wait event').size).toBeGreaterThan(200);
  });
});

describe('what the texts explain', () => {
  it('is all views of statistics, all classes of wait events and of errors, and what is met most', () => {
    const explained = (kind: string) =>
      new Set(
        knowledgeEntries()
          .filter((entry) => entry.kind === kind && entry.text !== undefined)
          .map(({ name }) => name),
      );
    const all = (kind: string) => knowledgeEntries().filter((entry) => entry.kind === kind);
    const statistics = all('view').filter(({ name }) => /^pg_stat(?:io)?_/.test(name));
    expect(statistics.filter(({ text }) => text === undefined).map(({ name }) => name)).toEqual([]);
    for (const kind of ['wait event class', 'error class'])
      expect(
        all(kind)
          .filter(({ text }) => text === undefined)
          .map(({ name }) => name),
      ).toEqual([]);
    expect(explained('parameter').size).toBeGreaterThan(150);
    expect(explained('wait event').size).toBeGreaterThan(130);
    expect(explained('error code').size).toBeGreaterThan(100);
  });
});
